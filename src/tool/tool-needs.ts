import { dirname, resolve } from "node:path";
import { canonicalJson } from "../base/index.ts";
import { isRecord } from "../schema/index.ts";
import { secretsInTemplates } from "./entry-template.ts";
import { type Builtins, type ChangedDefaults, changedDefaults, entryReceiver } from "./changed-defaults.ts";

/** Parts of a workspace that a tool executes, sends or relaxes, as far as its file states them. */
export interface ToolNeeds extends ChangedDefaults {
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

/**
 * The needs of a tool file, from its parsed YAML; undefined if it has none.
 *
 * @param builtins The tools that its entry may name, and that it must not replace unnoticed.
 */
export function toolNeeds(file: unknown, path: string, builtins: Builtins): ToolNeeds | undefined {
  if (!isRecord(file) || !isRecord(file["entry"])) return undefined;
  const { entry } = file;
  const words = Array.isArray(entry["command"]) ? entry["command"].map(String) : undefined;
  const to = entryReceiver(entry) ?? "";
  const secrets = secretsInTemplates(entry).map((name) => ({ name, to }));
  const changed = changedDefaults(file, entry, builtins);
  if (entry["type"] === "custom")
    return { module: resolve(dirname(path), String(entry["module"])), secrets, ...changed };
  if (words !== undefined) return { command: neededCommand(words, entry), secrets, ...changed };
  return secrets.length === 0 && Object.keys(changed).length === 0 ? undefined : { secrets, ...changed };
}

function neededCommand(
  words: readonly string[],
  { env, cwd, stdin }: Readonly<Record<string, unknown>>,
): NeededCommand {
  return {
    words,
    env: Object.fromEntries(Object.entries(isRecord(env) ? env : {}).map(([name, value]) => [name, textOf(value)])),
    ...(cwd !== undefined && { cwd: textOf(cwd) }),
    ...(stdin !== undefined && { stdin: textOf(stdin) }),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : canonicalJson(value);
}
