import { realpath } from "node:fs/promises";
import { isAbsolute, resolve, sep } from "node:path";

/**
 * What no tool needs and some would give away: data of programs, keys and logins. A name counts at any depth, whatever
 * its case, `*` stands for any characters, a path such as `.aws/credentials` for the end of one, and `!` makes an
 * exception.
 */
export const usuallyClosed: readonly string[] = [
  ".git",
  ".windlass",
  "windlass.local.yaml",
  // Variables for programs; their templates hold no values.
  ".env",
  ".env.*",
  ".envrc",
  "!.env.example",
  "!.env.sample",
  "!.env.template",
  "!.env.dist",
  // Logins.
  ".npmrc",
  ".pypirc",
  ".netrc",
  "_netrc",
  ".git-credentials",
  ".pgpass",
  ".my.cnf",
  ".htpasswd",
  ".aws/credentials",
  ".aws/sso",
  ".azure",
  ".config/gcloud",
  ".config/gh/hosts.yml",
  ".docker/config.json",
  ".kube/config",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".terraform.d/credentials.tfrc.json",
  // Keys.
  ".ssh",
  ".gnupg",
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ecdsa_sk",
  "id_ed25519",
  "id_ed25519_sk",
  "*.pem",
  "*.key",
  "*.p12",
  "*.pfx",
  "*.jks",
  "*.keystore",
  "*.ppk",
  "*.kdbx",
];

/** Tells which real paths are closed to tools. */
export class ClosedPlaces {
  readonly #names: RegExp;
  readonly #open: ReadonlySet<string>;
  readonly #ends: readonly string[];
  /** As they were given: what is there, and where links lead, may be another thing at every moment. */
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

  /** Where the closed paths really are at this moment, for {@link closes}. */
  async find(): Promise<ReadonlySet<string>> {
    const real = await Promise.all(this.#paths.map((path) => realpath(path).catch(() => path)));
    return new Set([...this.#paths, ...real]);
  }

  /** Is this real path closed itself? What is in a closed folder is not asked for here. */
  closes(real: string, paths: ReadonlySet<string>): boolean {
    const folded = (sep === "/" ? real : real.replaceAll(sep, "/")).toLowerCase();
    const name = folded.slice(folded.lastIndexOf("/") + 1);
    if (paths.has(real)) return true;
    if (this.#open.has(name)) return false;
    return this.#names.test(name) || this.#ends.some((end) => folded.endsWith(end));
  }
}

function expressionOf(pattern: string): string {
  return pattern
    .split("*")
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join(".*");
}
