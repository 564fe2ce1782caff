import { realpath } from "node:fs/promises";
import { isAbsolute, resolve, sep } from "node:path";

/**
 * Paths that no tool needs and that may leak secrets: data of programs, keys and logins. A name matches at any depth
 * and in any case, `*` matches any characters, a path such as `.aws/credentials` matches the end of a path, and `!`
 * makes an exception. Copies that editors and people make, such as `.env~` and `server.key.bak`, are closed too.
 */
export const defaultDeniedPaths: readonly string[] = [
  ".git .windlass windlass.local.yaml",
  // Variables for programs; their templates hold no values.
  ".env .env.* .envrc !.env.example !.env.sample !.env.template !.env.dist",
  // Logins.
  ".npmrc .pypirc .netrc _netrc .git-credentials .pgpass .my.cnf .htpasswd .aws/credentials .aws/sso .azure",
  ".config/gcloud .config/gh/hosts.yml .docker/config.json .kube/config .cargo/credentials",
  ".cargo/credentials.toml .gem/credentials .terraform.d/credentials.tfrc.json .vault-token .s3cfg .boto",
  ".rclone.conf rclone.conf",
  // The state of an infrastructure holds its passwords.
  "*.tfstate *.tfstate.*",
  // Commands that were typed, with the passwords in them.
  ".bash_history .zsh_history .zhistory .sh_history .ash_history .ksh_history .histfile fish_history",
  "ConsoleHost_history.txt .python_history .node_repl_history .irb_history .psql_history .mysql_history",
  ".sqlite_history .rediscli_history .dbshell .mongosh_repl_history",
  // Keys.
  ".ssh .gnupg id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk *.pem *.key *.p12 *.pfx *.jks",
  "*.keystore *.ppk *.kdbx",
].flatMap((line) => line.split(" "));

/** True if a real path itself is closed. Paths inside a closed folder are not checked. */
export type IsClosed = (real: string) => boolean;

/** Decides which real paths are closed to tools. */
export class DeniedPaths {
  readonly #names: RegExp;
  readonly #open: ReadonlySet<string>;
  readonly #ends: readonly string[];
  /** Unresolved: files and links may change at any time. */
  readonly #paths: readonly string[];

  constructor(patterns: readonly string[]) {
    const folded = patterns.filter((pattern) => !isAbsolute(pattern)).map((pattern) => pattern.toLowerCase());
    this.#paths = patterns.filter(isAbsolute).map((path) => resolve(path));
    this.#open = new Set(folded.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1)));
    const closing = folded.filter((pattern) => !pattern.startsWith("!"));
    const names = closing.filter((pattern) => !pattern.includes("/")).map(expressionOf);
    this.#names = new RegExp(`^(?:${names.join("|")})$`, "s");
    this.#ends = closing.filter((pattern) => pattern.includes("/")).map((end) => `/${end}`);
  }

  /** Resolves the closed paths to their current real paths. The result tests a real path. */
  async find(): Promise<IsClosed> {
    const found = await Promise.all(this.#paths.map((path) => realpath(path).catch(() => path)));
    const paths = new Set([...this.#paths, ...found]);
    return (real) => {
      const folded = (sep === "/" ? real : real.replaceAll(sep, "/")).toLowerCase();
      return paths.has(real) || [folded, ...originalsOf(folded)].some((path) => this.#closesName(path));
    };
  }

  #closesName(folded: string): boolean {
    const name = folded.slice(folded.lastIndexOf("/") + 1);
    if (this.#open.has(name)) return false;
    return this.#names.test(name) || this.#ends.some((end) => folded.endsWith(end));
  }
}

/** Endings of copies: `.env~`, `id_rsa.bak`, `server.key.old.1`, `id_rsa (copy)`, `id_rsa copy 2`, `#.env#`. */
const copyEnd =
  /(?:[~#]|[._-](?:bak|backup|old|orig|save|copy|prev|sw[a-p]|tmp)\d*|\.\d{1,3}| copy(?: \d+)?| \((?:copy|\d+)\))+$/;

/** The path without the marks of a copy; editors also put `.`, `#` or `.#` before the name. */
function originalsOf(folded: string): string[] {
  const original = folded.replace(copyEnd, "");
  return [original, original.replace(/\/(?:\.?#|\.)([^/]+)$/, "/$1")];
}

function expressionOf(pattern: string): string {
  return pattern
    .split("*")
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join(".*");
}
