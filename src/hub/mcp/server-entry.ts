import { resolve } from "node:path";
import { withoutCredentials } from "../../net/index.ts";
import { isRecord } from "../../schema/index.ts";
import { type YamlPath, suggestHint } from "../../text/index.ts";
import { isSecretName } from "../../secrets/index.ts";
import { hashScripts } from "../../tool/index.ts";
import { formatCommand, unpinnedPackage } from "./format-command.ts";
import type { ConfigFile } from "./config-file.ts";
import { type ExpandDeps, expandText } from "./expand-text.ts";
import type { McpAddress } from "./mcp-port.ts";
import type { McpServer, McpTrust } from "./server-config.ts";
import { type RawIdentity, identityOf, identityParts } from "./server-identity.ts";
import { unsupportedServerKeys, serverKeyAliases, serverEntryKeys, serverEntrySchema } from "./server-entry-schema.ts";

/** A key of an entry, and its position. */
interface EntryKey {
  readonly value: unknown;
  readonly file: ConfigFile;
  readonly path: YamlPath;
}

/** Entry of one server in the files. Evaluated once: problems are added to the reports of the files. */
export class ServerEntry {
  readonly #key: string;
  readonly #files: readonly ConfigFile[];
  readonly #world: ExpandDeps;
  readonly #keys = new Map<string, EntryKey>();
  readonly #secrets: string[] = [];
  #usable = true;

  /** @param files Those that have the entry; a later one takes precedence. */
  constructor(key: string, files: readonly ConfigFile[], world: ExpandDeps) {
    this.#key = key;
    this.#files = files;
    this.#world = world;
    for (const file of files) this.#take(file);
  }

  get disabled(): boolean {
    return this.#keys.get("disabled")?.value === true;
  }

  /** The command line or the address as it is written. */
  get shown(): string {
    const { command, args, url } = this.#raw();
    return command === undefined ? withoutCredentials(url ?? "") : formatCommand(command, args);
  }

  /** Keys and passwords in the files themselves. */
  get secretValues(): readonly string[] {
    return this.#secrets;
  }

  /** Marks the entry as unusable. */
  reject(code: string, message: string, hint?: string): void {
    this.#usable = false;
    this.#last.report.add(code, this.#path, [message, { part: "key", hint }]);
  }

  warn(code: string, message: string): void {
    this.#last.report.add(code, this.#path, [message, { part: "key", severity: "warning" }]);
  }

  /** The server, if its entry is valid. */
  server(name: string): McpServer | undefined {
    // A disabled entry may be incomplete.
    if (this.disabled) return undefined;
    const address = this.#address();
    if (address === undefined || !this.#usable) return undefined;
    this.#warnOfCommand();
    const seconds = this.#seconds();
    const { allow, deny = [] } = (this.#map("tools") ?? {}) as { allow?: string[]; deny?: string[] };
    const can = this.#keys.get("capabilities")?.value;
    const raw = this.#identity();
    return {
      name,
      address,
      display: this.shown,
      identity: identityOf(raw),
      parts: identityParts(raw),
      scripts: () => scriptsOf(address, this.#world.dir),
      timeoutMs: seconds === undefined ? undefined : seconds * 1000,
      tools: { allow, deny },
      ...this.#statements(),
      capabilities: {
        all: Array.isArray(can) ? (can as string[]) : [],
        byTool: isRecord(can) ? (can as Record<string, string[]>) : {},
      },
      trust: (this.#text("trust") ?? "first") as McpTrust,
      position: { file: this.#last.name, ...this.#last.parsed.locate(this.#path, "key") },
    };
  }

  /** Facts about the server's tools that the workspace states. */
  #statements(): Pick<McpServer, "effects" | "targets"> {
    return {
      effects: (this.#map("effects") ?? {}) as McpServer["effects"],
      targets: (this.#map("targets") ?? {}) as McpServer["targets"],
    };
  }

  get #last(): ConfigFile {
    const file = this.#files.at(-1);
    if (file === undefined) throw new TypeError("an entry must be in a file");
    return file;
  }

  get #path(): YamlPath {
    return [...this.#last.path, this.#key];
  }

  #take(file: ConfigFile): void {
    const path = [...file.path, this.#key];
    const own = file.servers[this.#key];
    if (!isRecord(own)) return;
    const entry = Object.fromEntries(
      Object.entries(own).map(([key, value]) => [serverKeyAliases.get(key) ?? key, value]),
    );
    if (!file.report.check(entry, serverEntrySchema, path)) this.#usable = false;
    // Another way to reach it, and not a change of some of its settings.
    if ("command" in entry || "url" in entry) this.#keys.clear();
    for (const [key, value] of Object.entries(own)) {
      const known = serverKeyAliases.get(key) ?? key;
      if (serverEntryKeys.includes(known)) this.#keys.set(known, { value, file, path: [...path, key] });
      else this.#warnOfKey(key, file);
    }
  }

  #warnOfKey(key: string, { report, path }: ConfigFile): void {
    const instead = unsupportedServerKeys.get(key);
    if (instead === "") return;
    const hint = instead ?? suggestHint(key, serverEntryKeys) ?? `known here: ${serverEntryKeys.join(", ")}`;
    const message = instead === undefined ? `unknown key "${key}"` : `"${key}" is not used here`;
    report.add("unknown_key", [...path, this.#key, key], [message, { part: "key", severity: "warning", hint }]);
  }

  #address(): McpAddress | undefined {
    const type = this.#text("type");
    const [command, url] = [this.#keys.get("command"), this.#keys.get("url")];
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
    const [command = ""] = this.#filled("command");
    return {
      kind: "stdio",
      command,
      args: this.#filled("args"),
      env: this.#filledMap("env"),
      cwd: resolve(this.#world.dir, this.#filled("cwd")[0] ?? "."),
    };
  }

  #remote(): McpAddress | undefined {
    const [url = ""] = this.#filled("url");
    const isOpen = this.#world.withheld === true && url.includes("${");
    if (this.#usable && !isOpen && !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
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
    const entryKeys = this.#keys.get(key);
    if (entryKeys === undefined) return [];
    if (!Array.isArray(entryKeys.value)) return [this.#fill(entryKeys.value, entryKeys, entryKeys.path)];
    return entryKeys.value.map((item, index) => this.#fill(item, entryKeys, [...entryKeys.path, index]));
  }

  #filledMap(key: string): Record<string, string> {
    const entryKeys = this.#keys.get(key);
    const input = isRecord(entryKeys?.value) ? entryKeys.value : {};
    if (entryKeys === undefined) return {};
    return Object.fromEntries(
      Object.entries(input).flatMap(([name, item]) => {
        if (item === null) return [];
        const text = this.#fill(item, entryKeys, [...entryKeys.path, name]);
        if (key === "headers" || isSecretName(name)) this.#secrets.push(...secretParts(text));
        return [[name, text]];
      }),
    );
  }

  #fill(value: unknown, { file }: EntryKey, path: YamlPath): string {
    // Already checked: a string, a number or a boolean.
    const input = String(value);
    const { text, faults, secret } = expandText(input, this.#world);
    for (const { code, message, hint, offset, length } of faults) {
      this.#usable = false;
      file.report.add(code, path, [message, { hint, inside: [offset, length] }]);
    }
    if (secret && path.includes("args")) {
      const message = "command lines are visible to every user of this machine";
      const detail = { severity: "warning", hint: "put the secret into env, if the server reads it there" } as const;
      file.report.add("secret_in_args", path, [message, detail]);
    }
    return text;
  }

  #warnOfCommand(): void {
    const { command, args } = this.#raw();
    const entryKeys = this.#keys.get("command");
    if (command === undefined || entryKeys === undefined) return;
    if (args.length === 0 && /^[^\s\\/]+\s+\S/.test(command)) {
      const words = command.split(/\s+/);
      const hint = `write "command": ${JSON.stringify(words[0])}, "args": ${JSON.stringify(words.slice(1))}`;
      const message = "this is taken as the name of one program, spaces included: no shell is involved";
      entryKeys.file.report.add("command_line", entryKeys.path, [message, { severity: "warning", hint }]);
    }
    const unpinned = unpinnedPackage(command, args);
    if (unpinned === undefined) return;
    const { file, path } = this.#keys.get("args") ?? entryKeys;
    const message = `the package "${unpinned.name}" has no exact version: every start may run another program. It runs: ${this.shown}`;
    const hint = `write the version that you trust, in the form "${unpinned.pinned}"`;
    file.report.add("unpinned_package", [...path, unpinned.at], [message, { severity: "warning", hint }]);
  }

  #seconds(): number | undefined {
    const entryKeys = this.#keys.get("timeout");
    if (typeof entryKeys?.value !== "number") return undefined;
    if (entryKeys.value > 10_000) {
      const hint = `if these are milliseconds, write ${entryKeys.value / 1000}`;
      const message = `"timeout" is in seconds: these are ${Math.round(entryKeys.value / 3600)} hours`;
      entryKeys.file.report.add("long_timeout", entryKeys.path, [message, { severity: "warning", hint }]);
    }
    return entryKeys.value;
  }

  #identity(): RawIdentity {
    const { command, args, url } = this.#raw();
    const [env, cwd] = [this.#map("env") ?? {}, this.#text("cwd")];
    return url === undefined ? { command, args, env, ...(cwd !== undefined && { cwd }) } : { url };
  }

  #raw(): { command: string | undefined; args: readonly string[]; url: string | undefined } {
    const args = this.#keys.get("args")?.value;
    return {
      command: this.#text("command"),
      args: Array.isArray(args) ? args.map(String) : [],
      url: this.#text("url"),
    };
  }

  #text(key: string): string | undefined {
    const value = this.#keys.get(key)?.value;
    return typeof value === "string" ? value : undefined;
  }

  #map(key: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.#keys.get(key)?.value;
    return isRecord(value) ? value : undefined;
  }

  #fault(key: string, code: string, problem: string): void {
    this.#usable = false;
    const { file, path } = this.#keys.get(key) ?? { file: this.#last, path: this.#path };
    file.report.add(code, path, [`"${key}" ${problem}`]);
  }
}

function scriptsOf(address: McpAddress, root: string): string | undefined {
  if (address.kind !== "stdio") return undefined;
  return hashScripts([address.command, ...address.args], { cwd: address.cwd, root });
}

/** A header such as `Bearer abc` is known by the whole and by its parts. */
function secretParts(value: string): string[] {
  return [value, ...value.split(/\s+/)].filter((word) => word.length >= 8);
}
