import { dirname, resolve } from "node:path";
import { canonicalJson } from "../base/index.ts";
import { isYamlMap } from "../schema/index.ts";

/** Parts of a workspace that a tool executes or sends, as far as its file states them. */
export interface ToolNeeds {
  /** Module that it imports, absolute. */
  readonly module?: string;
  readonly command?: NeededCommand;
  readonly secrets: readonly SentSecret[];
}

/** A program that a tool runs, as written: everything that decides what the program does. */
export interface NeededCommand {
  /** Program and arguments. */
  readonly words: readonly string[];
  /** Variables added to its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Its input; a map or list as JSON. */
  readonly stdin?: string;
}

/** A secret, and the receiver of its value. */
export interface SentSecret {
  readonly name: string;
  /** A host with its port, or words such as `the command sort`. */
  readonly to: string;
}

/** The needs of a tool file, from its parsed YAML; undefined if it has none. */
export function toolNeeds(file: unknown, path: string): ToolNeeds | undefined {
  const entry = isYamlMap(file) ? file["entry"] : undefined;
  if (!isYamlMap(entry)) return undefined;
  const { type, module, command, url } = entry;
  const words = Array.isArray(command) ? command.map(String) : undefined;
  const to = words === undefined ? hostIn(String(url)) : `the command ${words[0] ?? ""}`;
  const secrets = secretsIn(entry).map((name) => ({ name, to }));
  if (type === "custom") return { module: resolve(dirname(path), String(module)), secrets };
  if (words !== undefined) return { command: neededCommand(words, entry), secrets };
  return secrets.length === 0 ? undefined : { secrets };
}

function neededCommand(
  words: readonly string[],
  { env, cwd, stdin }: Readonly<Record<string, unknown>>,
): NeededCommand {
  return {
    words,
    env: Object.fromEntries(Object.entries(isYamlMap(env) ? env : {}).map(([name, value]) => [name, textOf(value)])),
    ...(cwd !== undefined && { cwd: textOf(cwd) }),
    ...(stdin !== undefined && { stdin: textOf(stdin) }),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : canonicalJson(value);
}

const reference = /\$\{[^}]*\}/g;

/** The receiver if the address does not name it. */
const anyHost = "a host that the caller chooses";

/** The host of an address with references, as `example.com:8080`. */
export function hostIn(address: string): string {
  const marker = "0reference0";
  const url = URL.parse(address.replaceAll(reference, marker));
  if (url === null || url.host === "" || url.host.includes(marker)) return anyHost;
  return url.host;
}

/** Names of the secrets that a value of a file refers to. */
export function secretsIn(value: unknown): string[] {
  const found = textsIn(value).flatMap((text) => text.match(reference) ?? []);
  return [...new Set(found.flatMap(secretsOf))].sort();
}

function secretsOf(text: string): string[] {
  const secret = /\bsecret\s*(?:\.\s*|\[\s*["'])([\p{L}_][\p{L}\p{N}_-]*)/gu;
  return Array.from(text.matchAll(secret), ([, name = ""]) => name);
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
