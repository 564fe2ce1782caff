import { resolve } from "node:path";
import { withoutCredentials } from "../../net/index.ts";
import { isMap } from "../../schema/index.ts";
import { type YamlPath, isSecretName, suggest } from "../../text/index.ts";
import type { Effect } from "../../tool/index.ts";
import { shownCommand, unpinnedPackage } from "./check-command.ts";
import type { ConfigFile } from "./config-file.ts";
import { type ExpandWorld, expandText } from "./expand-text.ts";
import type { McpAddress } from "./mcp-port.ts";
import type { McpServer, McpTrust, ServerPlace } from "./server-config.ts";
import { type RawIdentity, identityOf, identityParts } from "./server-identity.ts";
import { foreignKeys, sameKeys, serverKeys, serverShape } from "./server-shape.ts";

/** A key of an entry, and where it stands. */
interface Said {
  readonly value: unknown;
  readonly file: ConfigFile;
  readonly path: YamlPath;
}

/** What the files say about one server. Asked once: what is wrong goes into the reports of the files. */
export class ServerEntry {
  readonly #key: string;
  readonly #files: readonly ConfigFile[];
  readonly #world: ExpandWorld;
  readonly #said = new Map<string, Said>();
  readonly #secrets: string[] = [];
  #usable = true;

  /** @param files Those that have the entry; what a later one says goes first. */
  constructor(key: string, files: readonly ConfigFile[], world: ExpandWorld) {
    this.#key = key;
    this.#files = files;
    this.#world = world;
    for (const file of files) this.#take(file);
  }

  get disabled(): boolean {
    return this.#said.get("disabled")?.value === true;
  }

  /** The command line or the address as it is written. */
  get shown(): string {
    const { command, args, url } = this.#raw();
    return command === undefined ? withoutCredentials(url ?? "") : shownCommand(command, args);
  }

  /** Keys and passwords that the files hold themselves. */
  get secretValues(): readonly string[] {
    return this.#secrets;
  }

  /** Says that the entry cannot be used. */
  reject(code: string, message: string, hint?: string): void {
    this.#usable = false;
    this.#last.report.add(code, this.#place, [message, { part: "key", hint }]);
  }

  warn(code: string, message: string): void {
    this.#last.report.add(code, this.#place, [message, { part: "key", severity: "warning" }]);
  }

  /** The server, where everything about it can be used. */
  server(name: string): McpServer | undefined {
    // What is switched off may be as incomplete as it likes.
    if (this.disabled) return undefined;
    const address = this.#address();
    if (address === undefined || !this.#usable) return undefined;
    this.#warnOfCommand();
    const seconds = this.#seconds();
    const { allow, deny = [] } = (this.#map("tools") ?? {}) as { allow?: string[]; deny?: string[] };
    const can = this.#said.get("capabilities")?.value;
    const raw = this.#identity();
    return {
      name,
      address,
      shown: this.shown,
      identity: identityOf(raw),
      parts: identityParts(raw),
      timeoutMs: seconds === undefined ? undefined : seconds * 1000,
      tools: { allow, deny },
      effects: (this.#map("effects") ?? {}) as Record<string, Effect>,
      capabilities: {
        all: Array.isArray(can) ? (can as string[]) : [],
        byTool: isMap(can) ? (can as Record<string, string[]>) : {},
      },
      trust: (this.#text("trust") ?? "first") as McpTrust,
      place: this.#position(),
    };
  }

  get #last(): ConfigFile {
    const file = this.#files.at(-1);
    if (file === undefined) throw new TypeError("an entry stands in a file");
    return file;
  }

  get #place(): YamlPath {
    return [...this.#last.path, this.#key];
  }

  #position(): ServerPlace {
    const { parsed, name } = this.#last;
    return { file: name, ...parsed.locate(this.#place, "key") };
  }

  #take(file: ConfigFile): void {
    const path = [...file.path, this.#key];
    const own = file.servers[this.#key];
    if (!isMap(own)) return;
    const entry = Object.fromEntries(Object.entries(own).map(([key, value]) => [sameKeys.get(key) ?? key, value]));
    if (!file.report.check(entry, serverShape, path)) this.#usable = false;
    // Another way to reach it, and not a change of some of its settings.
    if ("command" in entry || "url" in entry) this.#said.clear();
    for (const [key, value] of Object.entries(own)) {
      const known = sameKeys.get(key) ?? key;
      if (serverKeys.includes(known)) this.#said.set(known, { value, file, path: [...path, key] });
      else this.#warnOfKey(key, file);
    }
  }

  #warnOfKey(key: string, { report, path }: ConfigFile): void {
    const instead = foreignKeys.get(key);
    if (instead === "") return;
    const near = suggest(key, serverKeys);
    const hint = instead ?? (near === undefined ? `known here: ${serverKeys.join(", ")}` : `did you mean "${near}"?`);
    const message = instead === undefined ? `unknown key "${key}"` : `"${key}" is not used here`;
    report.add("unknown_key", [...path, this.#key, key], [message, { part: "key", severity: "warning", hint }]);
  }

  #address(): McpAddress | undefined {
    const type = this.#text("type");
    const [command, url] = [this.#said.get("command"), this.#said.get("url")];
    if (command !== undefined && url !== undefined) {
      this.reject("two_addresses", `"${this.#key}" has a command and a url`, "leave one of them out");
      return undefined;
    }
    if (url !== undefined && type !== "stdio") return this.#remote();
    if (command !== undefined && (type === undefined || type === "stdio")) return this.#program();
    const missing = type === undefined ? 'a "command" or a "url"' : type === "stdio" ? 'a "command"' : 'a "url"';
    this.reject("missing_key", `"${this.#key}" needs ${missing}`);
    return undefined;
  }

  #program(): McpAddress {
    const { dir } = this.#world;
    const [command = ""] = this.#filled("command");
    return {
      kind: "stdio",
      command,
      args: this.#filled("args"),
      env: this.#filledMap("env"),
      cwd: resolve(dir, this.#filled("cwd")[0] ?? "."),
    };
  }

  #remote(): McpAddress | undefined {
    const [url = ""] = this.#filled("url");
    if (this.#usable && !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
      this.#fault("url", "bad_url", 'must be an address that starts with "https://" or "http://"');
      return undefined;
    }
    const oauth = this.#filledMap("oauth");
    return {
      kind: "http",
      url,
      headers: this.#filledMap("headers"),
      ...(Object.keys(oauth).length > 0 && { oauth }),
    };
  }

  /** A text, or a list of them, with everything filled in. */
  #filled(key: string): string[] {
    const said = this.#said.get(key);
    if (said === undefined) return [];
    if (!Array.isArray(said.value)) return [this.#fill(said.value, said, said.path)];
    return said.value.map((item, index) => this.#fill(item, said, [...said.path, index]));
  }

  #filledMap(key: string): Record<string, string> {
    const said = this.#said.get(key);
    const given = isMap(said?.value) ? said.value : {};
    if (said === undefined) return {};
    return Object.fromEntries(
      Object.entries(given).flatMap(([name, item]) => {
        if (item === null) return [];
        const text = this.#fill(item, said, [...said.path, name]);
        if (key === "headers" || isSecretName(name)) this.#secrets.push(...wordsOf(text));
        return [[name, text]];
      }),
    );
  }

  #fill(value: unknown, { file }: Said, path: YamlPath): string {
    // Of the shape just checked: a text, a number, or yes or no.
    const given = String(value);
    const { text, faults, secret } = expandText(given, this.#world);
    for (const { code, message, hint, offset, length } of faults) {
      this.#usable = false;
      file.report.add(code, path, [message, { hint, inside: [offset, length] }]);
    }
    if (secret && path.includes("args")) {
      const message = "command lines can be read by everybody on this machine";
      const detail = { severity: "warning", hint: "put the secret into env, if the server reads it there" } as const;
      file.report.add("secret_in_args", path, [message, detail]);
    }
    return text;
  }

  #warnOfCommand(): void {
    const { command, args } = this.#raw();
    const said = this.#said.get("command");
    if (command === undefined || said === undefined) return;
    if (args.length === 0 && /^[^\s\\/]+\s+\S/.test(command)) {
      const words = command.split(/\s+/);
      const hint = `write "command": ${JSON.stringify(words[0])}, "args": ${JSON.stringify(words.slice(1))}`;
      const message = "this is taken as the name of one program, spaces included: no shell is involved";
      said.file.report.add("command_line", said.path, [message, { severity: "warning", hint }]);
    }
    const unpinned = unpinnedPackage(command, args);
    if (unpinned === undefined) return;
    const { file, path } = this.#said.get("args") ?? said;
    const message = `the package "${unpinned.name}" has no exact version: every start may run another program. It runs: ${this.shown}`;
    const hint = `write the version that you trust, in the form "${unpinned.pinned}"`;
    file.report.add("unpinned_package", [...path, unpinned.at], [message, { severity: "warning", hint }]);
  }

  #seconds(): number | undefined {
    const said = this.#said.get("timeout");
    if (typeof said?.value !== "number") return undefined;
    if (said.value > 10_000) {
      const hint = `if these are milliseconds, write ${said.value / 1000}`;
      const message = `"timeout" is in seconds: these are ${Math.round(said.value / 3600)} hours`;
      said.file.report.add("long_timeout", said.path, [message, { severity: "warning", hint }]);
    }
    return said.value;
  }

  #identity(): RawIdentity {
    const { command, args, url } = this.#raw();
    const [env, cwd] = [this.#map("env") ?? {}, this.#text("cwd")];
    return url === undefined ? { command, args, env, ...(cwd !== undefined && { cwd }) } : { url };
  }

  #raw(): { command: string | undefined; args: readonly string[]; url: string | undefined } {
    const args = this.#said.get("args")?.value;
    return {
      command: this.#text("command"),
      args: Array.isArray(args) ? args.map(String) : [],
      url: this.#text("url"),
    };
  }

  #text(key: string): string | undefined {
    const value = this.#said.get(key)?.value;
    return typeof value === "string" ? value : undefined;
  }

  #map(key: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.#said.get(key)?.value;
    return isMap(value) ? value : undefined;
  }

  #fault(key: string, code: string, problem: string): void {
    this.#usable = false;
    const { file, path } = this.#said.get(key) ?? { file: this.#last, path: this.#place };
    file.report.add(code, path, [`"${key}" ${problem}`]);
  }
}

/** A header such as `Bearer abc` is known by the whole and by its parts. */
function wordsOf(value: string): string[] {
  return [value, ...value.split(/\s+/)].filter((word) => word.length >= 8);
}
