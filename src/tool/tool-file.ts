import { type Clock, isFailureError, systemClock } from "../base/index.ts";
import { type Schema, fromJsonSchema } from "../schema/index.ts";
import { type Problem, type YamlPath, parseYaml, suggest } from "../text/index.ts";
import { defineTool } from "./define-tool.ts";
import { readBuiltinEntry } from "./entry-builtin.ts";
import type { EntryPlan, EntrySource, EntryWorld, HttpPort, ToolLookup } from "./entry-plan.ts";
import { durationMs } from "./tool-file-duration.ts";
import { readParameters } from "./tool-file-parameters.ts";
import { FileReport, isMap } from "../schema/index.ts";
import { type EntryKind, entrySchemas, fileSchema } from "./tool-file-schema.ts";
import { readShape } from "./tool-file-shape.ts";
import { toolNameProblem } from "./tool-name.ts";
import { type AnyTool, type ToolInfo, knownCategories } from "./tool.ts";

/** What `parseToolFile` takes besides the text. */
export interface ToolFileOptions {
  /** Named in problems. */
  readonly file: string;
  /** Where the file lies; `file` where absent. Modules are relative to its folder. */
  readonly path?: string;
  /** The workspace: modules and working folders stay inside. The folder of the process where absent. */
  readonly root?: string;
  /** What `entry.handler` may name: a registry of the built-in tools, or anything that can look up and list. */
  readonly executors?: ToolLookup;
  /** The door that HTTP entries go through. */
  readonly http?: HttpPort | undefined;
  /** Names that `${secret.X}` may use; absent where they are not known. */
  readonly secretNames?: Iterable<string> | undefined;
  /** Where commands find PATH, HOME and LANG. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** What became of a tool file. */
export interface ParsedToolFile {
  /**
   * Present when the file can be registered. Beside errors only when the file is right and what its entry names does
   * not exist: such a tool is listed and answers every call with that failure.
   */
  readonly tool?: AnyTool;
  /** Everything that is wrong, in the order of the file. */
  readonly problems: readonly Problem[];
  /** Modules that the entry names: the file is to be read anew when one of them changes. */
  readonly modules: readonly string[];
}

/**
 * Reads a tool in its YAML form. Never throws: what is wrong with the file is in `problems`, each with its place.
 *
 * @example
 * ```ts
 * const { tool, problems } = await parseToolFile(text, { file: "tools/http_request.yaml", executors: builtins });
 * ```
 */
export async function parseToolFile(text: string, options: ToolFileOptions): Promise<ParsedToolFile> {
  const yaml = parseYaml(text, { file: options.file });
  const report = new FileReport(text, options.file, yaml);
  if (yaml.value === undefined) return { problems: report.problems, modules: [] };
  if (!isMap(yaml.value)) {
    report.add("wrong_type", [], ["a tool file is a map of keys such as name, description and entry"]);
    return { problems: report.problems, modules: [] };
  }
  const { tool, modules } = await readTool(yaml.value, report, worldOf(options));
  return { ...(tool !== undefined && { tool }), problems: report.problems, modules };
}

function worldOf(options: ToolFileOptions): EntryWorld {
  const { file, path = file, root = process.cwd(), env = process.env, clock = systemClock } = options;
  const { executors = noExecutors, http, secretNames, signal } = options;
  return { executors, http, secretNames, signal, path, root, env, clock };
}

const noExecutors: ToolLookup = { get: () => undefined, names: () => [] };

type File = Readonly<Record<string, unknown>>;

interface ReadTool {
  readonly tool?: AnyTool | undefined;
  readonly modules: readonly string[];
}

async function readTool(file: File, report: FileReport, world: EntryWorld): Promise<ReadTool> {
  report.check(file, fileSchema, []);
  warnAboutCategory(file, report);
  checkNames(file, report);
  const parameters = readParameters(file["parameters"], report);
  const output = isNothing(file["output"]) ? undefined : readOutput(file["output"], report);
  const entry = file["entry"];
  const plan = isMap(entry) ? await readEntry({ entry, parameters, report, world }) : undefined;
  // A plan that is broken has been reported, and the tool is still made of it.
  if (plan !== undefined) checkCache(file, plan, report);
  const errors = report.problems.filter(({ severity }) => severity === "error").length;
  const modules = plan?.modules ?? [];
  if (plan === undefined || errors > (plan.broken === undefined ? 0 : 1)) return { modules };
  return { tool: assemble({ file, plan, input: parameters, output }, report), modules };
}

async function readEntry(source: EntrySource): Promise<EntryPlan | undefined> {
  const kind = entryKind(source);
  if (kind === undefined || !source.report.check(source.entry, entrySchemas[kind], ["entry"])) return undefined;
  // Imported when a file asks for them: few programs need processes, network and modules all at once.
  switch (kind) {
    case "builtin":
      return readBuiltinEntry(source);
    case "http":
      return (await import("./entry-http.ts")).readHttpEntry(source);
    case "command":
      return (await import("./entry-command.ts")).readCommandEntry(source);
    case "custom":
      return await (await import("./entry-custom.ts")).readCustomEntry(source);
    default:
      return kind satisfies never;
  }
}

function entryKind({ entry, report }: EntrySource): EntryKind | undefined {
  const { type, command, url } = entry;
  if (type === "builtin" || type === "custom") return type;
  if (type !== "external") {
    const near = suggest(String(type), ["builtin", "external", "custom"]);
    const message = isNothing(type) ? '"entry" needs the key "type"' : `unknown entry type ${JSON.stringify(type)}`;
    const hint = near === undefined ? "types: builtin, external, custom" : `did you mean "${near}"?`;
    report.add("bad_value", isNothing(type) ? ["entry"] : ["entry", "type"], [message, { hint }]);
    return undefined;
  }
  if (typeof command === "string") {
    const hint = `write a list, one argument per item: [${command
      .trim()
      .split(/\s+/)
      .map((word) => JSON.stringify(word))
      .join(", ")}]`;
    report.add(
      "shell_command",
      ["entry", "command"],
      ["a command is a list; there is no shell to take a line apart", { hint }],
    );
    return undefined;
  }
  if (isNothing(command) === isNothing(url)) {
    const message = isNothing(url)
      ? 'an external entry needs "url" or "command"'
      : 'an external entry has "url" or "command", not both';
    report.add("bad_value", ["entry"], [message, { part: "key" }]);
    return undefined;
  }
  return isNothing(command) ? "http" : "command";
}

function warnAboutCategory({ category }: File, report: FileReport): void {
  if (typeof category !== "string" || knownCategories.some((known) => known === category)) return;
  const near = suggest(category, knownCategories);
  if (near === undefined) return;
  const message = `"${category}" is a category of your own`;
  report.add("unknown_category", ["category"], [message, { severity: "warning", hint: `did you mean "${near}"?` }]);
}

/** Every wrong name is told at its place. */
function checkNames({ name, aliases }: File, report: FileReport): void {
  const check = (value: unknown, path: YamlPath): void => {
    if (typeof value !== "string" || value.trim() === "") return;
    const why = toolNameProblem(value);
    if (why !== undefined) report.add("bad_tool_name", path, [`the name ${JSON.stringify(value.slice(0, 80))} ${why}`]);
  };
  check(name, ["name"]);
  if (Array.isArray(aliases)) for (const [index, alias] of aliases.entries()) check(alias, ["aliases", index]);
}

function checkCache({ cache, effect }: File, plan: EntryPlan, report: FileReport): void {
  const known = effect ?? plan.effect;
  if (isNothing(cache) || (known !== "once" && known !== "idempotent")) return;
  const message = `results of a tool whose effect is "${known}" cannot be reused`;
  const hint = 'set "effect" to read or pure if that is what it is';
  report.add("useless_cache", ["cache"], [message, { part: "key", hint }]);
}

function readOutput(value: unknown, report: FileReport): Schema | undefined {
  const json = readShape(value, ["output"], report);
  try {
    return fromJsonSchema(json);
  } catch (error) {
    if (!isFailureError(error)) throw error;
    report.add(error.reason ?? "bad_schema", ["output"], [error.message]);
    return undefined;
  }
}

interface Parts {
  readonly file: File;
  readonly plan: EntryPlan;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Schema | undefined;
}

function assemble({ file, plan, input, output }: Parts, report: FileReport): AnyTool | undefined {
  try {
    const tool: AnyTool = defineTool({
      ...infoOf(file),
      ...rulesOf(file, plan),
      input: fromJsonSchema(input),
      ...((output ?? plan.output) && { output: output ?? plan.output }),
      ...(plan.composite === true && { composite: true }),
      run: plan.run,
    });
    return plan.broken === undefined ? tool : Object.freeze({ ...tool, broken: plan.broken });
  } catch (error) {
    if (!isFailureError(error)) throw error;
    report.add(error.reason ?? "tool_invalid", [placeOf(error.message)], [error.message]);
    return undefined;
  }
}

/** The key that a refused definition speaks of: it names its option in backquotes. */
function placeOf(message: string): string {
  const option = /`(\w+)`/.exec(message)?.[1] ?? "name";
  return options.get(option) ?? option;
}

const options: ReadonlyMap<string, string> = new Map([
  ["displayName", "display_name"],
  ["timeoutMs", "timeout"],
  ["input", "parameters"],
]);

/** What the file says about the tool; the checks before make sure of the types. */
function infoOf(file: File): Partial<ToolInfo> & Pick<ToolInfo, "name" | "description"> {
  const info = {
    name: file["name"],
    description: String(file["description"]).trim(),
    version: file["version"],
    displayName: file["display_name"],
    id: file["id"],
    status: file["status"],
    category: file["category"],
    tags: file["tags"],
    aliases: file["aliases"],
    capabilities: file["capabilities"],
    alwaysEnabled: file["always_enabled"],
    background: file["background"],
    gated: file["gated"],
  };
  const given = Object.entries(info).filter(([, value]) => !isNothing(value));
  return Object.fromEntries(given) as Partial<ToolInfo> & Pick<ToolInfo, "name" | "description">;
}

/** What the file states wins over what the entry brings along. */
function rulesOf(file: File, plan: EntryPlan): Pick<AnyTool, "effect" | "destructive" | "timeoutMs" | "cache"> {
  const effect = (file["effect"] as AnyTool["effect"] | null | undefined) ?? plan.effect;
  // A file that states another effect has thought about it: what the entry would say no longer follows.
  const implied = isNothing(file["effect"]) ? plan.destructive : effect === "once";
  const destructive = (file["destructive"] as boolean | null | undefined) ?? implied;
  const timeoutMs = durationMs(file["timeout"]) ?? plan.timeoutMs;
  const ttlMs = isMap(file["cache"]) ? durationMs(file["cache"]["ttl"]) : undefined;
  const cache = ttlMs === undefined ? (isNothing(file["effect"]) ? plan.cache : undefined) : { ttlMs };
  return { effect, destructive, ...(timeoutMs !== undefined && { timeoutMs }), ...(cache !== undefined && { cache }) };
}

function isNothing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
