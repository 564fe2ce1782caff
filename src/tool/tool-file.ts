import { isFailureError, isTimeoutMs, systemClock, definedOnly } from "../base/index.ts";
import { type JsonSchema, type Schema, fromJsonSchema, FileReport, isRecord, propertiesOf } from "../schema/index.ts";
import { type Problem, type SourceRange, type YamlPath, parseYaml, suggest, suggestHint } from "../text/index.ts";
import { checkEffect, impliedDestructive } from "./check-effect.ts";
import { defineTool } from "./define-tool.ts";
import type { EntryPlan, EntryDeps, ToolDirectory, EntryInput } from "./entry-plan.ts";
import { type PromptSender, type ToolPrompt, readPromptEntry } from "./entry-prompt.ts";
import { readEntry } from "./read-entry.ts";
import { parseToolDuration } from "./tool-file-duration.ts";
import { readParameters } from "./tool-file-parameters.ts";
import { fileSchemaFor } from "./tool-file-schema.ts";
import { readTypeSchema } from "./tool-file-type-schema.ts";
import { toolNameProblem } from "./tool-name.ts";
import { type AnyTool, type ToolInfo, knownCategories } from "./tool.ts";
import { type ChangedDefaults, changedDefaults } from "./changed-defaults.ts";

/** Options of `parseToolFile` besides the text. */
export interface ToolFileOptions extends Partial<EntryDeps> {
  /** Named in problems, and the default of `path`. The default of `root` is the current working directory. */
  readonly file: string;
}

/** Result of parsing a tool file. */
export interface ParsedToolFile {
  /**
   * Present if the file can be registered. Together with errors only if the file is valid and the target of its entry
   * does not exist: such a tool is listed and fails every call with that error.
   */
  readonly tool?: AnyTool;
  /** All problems, in the order of the file. */
  readonly problems: readonly Problem[];
  /** Modules that the entry names: reload the file when one of them changes. */
  readonly modules: readonly string[];
  /** Files that the command of the entry names, absolute, existing or not. */
  readonly commandFiles: readonly string[];
}

/**
 * Parses a tool in its YAML form. Never throws: `problems` lists everything that is wrong with the file, with
 * positions.
 *
 * @example
 * ```ts
 * const { tool, problems } = await parseToolFile(text, { file: "tools/http_request.yaml", executors: builtins });
 * ```
 */
export async function parseToolFile(text: string, options: ToolFileOptions): Promise<ParsedToolFile> {
  const yaml = parseYaml(text, { file: options.file });
  const report = new FileReport(text, options.file, yaml);
  if (yaml.value === undefined) return { problems: report.problems, modules: [], commandFiles: [] };
  if (!isRecord(yaml.value)) {
    report.add("wrong_type", [], ["a tool file is a map of keys such as name, description and entry"]);
    return { problems: report.problems, modules: [], commandFiles: [] };
  }
  if (Object.hasOwn(yaml.value, "steps") && !Object.hasOwn(yaml.value, "entry")) {
    const hint = "move it to the folder of chains (default: chains/); a tool has an entry instead of steps";
    report.add("not_a_tool", ["steps"], ["this file is a chain, not a tool", { part: "key", hint }]);
    return { problems: report.problems, modules: [], commandFiles: [] };
  }
  const { tool, ...files } = await readTool(yaml.value, report, entryDepsOf(options));
  return { ...(tool !== undefined && { tool }), problems: report.problems, ...files };
}

/**
 * Reads a tool file of this package whose entry is a prompt, from its parsed YAML. At once, since such an entry imports
 * nothing; throws if the file has a problem.
 */
export function readPromptFile(
  file: File,
  prompts: PromptSender,
): { readonly tool: AnyTool; readonly prompt: ToolPrompt } {
  const name = String(file["name"]);
  const start = (): SourceRange => ({ line: 1, column: 1 });
  const report = new FileReport("", name, { value: file, problems: [], locate: start, locateInside: start });
  const head = readHead(file, report);
  const entry = isRecord(file["entry"]) ? file["entry"] : {};
  const { prompt, ...plan } = readPromptEntry({ ...head, entry, report, world: entryDepsOf({ file: name, prompts }) });
  const { tool } = finishTool(head, plan, report);
  if (tool !== undefined) return { tool, prompt };
  throw new Error(`the tool file ${name} is invalid: ${report.problems.map(({ message }) => message).join("; ")}`);
}

function entryDepsOf(options: ToolFileOptions): EntryDeps {
  const { file, path = file, root = process.cwd(), env = process.env, clock = systemClock } = options;
  const { executors = noExecutors, ...rest } = options;
  return { ...rest, executors, path, root, env, clock };
}

const noExecutors: ToolDirectory = { get: () => undefined, names: () => [] };

type File = Readonly<Record<string, unknown>>;

type ReadTool = Omit<ParsedToolFile, "tool" | "problems"> & { readonly tool?: AnyTool | undefined };

async function readTool(written: File, report: FileReport, world: EntryDeps): Promise<ReadTool> {
  const file = withoutRefused(written, { report, world });
  if (file === undefined) return { modules: [], commandFiles: [] };
  const head = readHead(file, report);
  const entry = file["entry"];
  const plan = isRecord(entry) ? await readEntry({ ...head, entry, report, world }) : undefined;
  return finishTool(head, plan, report);
}

/** A tool file besides its entry. */
interface ToolHead {
  readonly file: File;
  readonly parameters: JsonSchema;
  readonly output: Schema | undefined;
}

function readHead(file: File, report: FileReport): ToolHead {
  report.check(file, fileSchemaFor(file["parameters"]), []);
  warnAboutCategory(file, report);
  checkNames(file, report);
  checkTimeouts(file, report);
  const parameters = readParameters(file["parameters"], report);
  checkTargets(file["targets"], parameters, report);
  const output = file["output"] == null ? undefined : readOutput(file["output"], report);
  return { file, parameters, output };
}

function finishTool(head: ToolHead, plan: EntryPlan | undefined, report: FileReport): ReadTool {
  // A broken plan has already been reported, and the tool is still created from it.
  if (plan !== undefined) checkEffect(head.file, plan, report);
  const errors = report.problems.filter(({ severity }) => severity === "error").length;
  const files = { modules: plan?.modules ?? [], commandFiles: plan?.commandFiles ?? [] };
  if (plan === undefined || errors > (plan.isReported === true ? 1 : 0)) return files;
  return { tool: assemble(head, plan, report), ...files };
}

function warnAboutCategory({ category }: File, report: FileReport): void {
  if (typeof category !== "string" || knownCategories.some((known) => known === category)) return;
  const near = suggest(category, knownCategories);
  if (near === undefined) return;
  const message = `"${category}" is a custom category`;
  report.add("unknown_category", ["category"], [message, { severity: "warning", hint: `did you mean "${near}"?` }]);
}

/** Reports every invalid name at its position. */
function checkNames({ name, aliases }: File, report: FileReport): void {
  const check = (value: unknown, path: YamlPath): void => {
    if (typeof value !== "string" || value.trim() === "") return;
    const why = toolNameProblem(value);
    if (why !== undefined) report.add("bad_tool_name", path, [`the name ${JSON.stringify(value.slice(0, 80))} ${why}`]);
  };
  check(name, ["name"]);
  if (Array.isArray(aliases)) for (const [index, alias] of aliases.entries()) check(alias, ["aliases", index]);
}

function checkTimeouts({ timeout, entry }: File, report: FileReport): void {
  const check = (value: unknown, path: YamlPath): void => {
    const ms = parseToolDuration(value);
    if (ms !== undefined && !isTimeoutMs(ms)) report.add("bad_value", path, ['"timeout" may be at most 24h']);
  };
  check(timeout, ["timeout"]);
  if (isRecord(entry)) check(entry["timeout"], ["entry", "timeout"]);
}

/** A target is a parameter of the tool. */
function checkTargets(targets: unknown, parameters: JsonSchema, report: FileReport): void {
  const names = Object.keys(propertiesOf(parameters));
  for (const name of isRecord(targets) ? Object.keys(targets) : []) {
    if (names.includes(name)) continue;
    const hint = suggestHint(name, names) ?? "declare it under parameters";
    report.add("bad_value", ["targets", name], [`"${name}" is not among the parameters`, { part: "key", hint }]);
  }
}

function readOutput(value: unknown, report: FileReport): Schema | undefined {
  const json = readTypeSchema(value, ["output"], report);
  try {
    return fromJsonSchema(json);
  } catch (error) {
    if (!isFailureError(error)) throw error;
    report.add(error.reason ?? "bad_schema", ["output"], [error.message]);
    return undefined;
  }
}

function assemble({ file, parameters, output }: ToolHead, plan: EntryPlan, report: FileReport): AnyTool | undefined {
  try {
    const { examples } = file;
    const input = {
      ...parameters,
      ...(plan.closed === true && { additionalProperties: false }),
      ...(examples != null && { examples }),
    };
    const tool: AnyTool = defineTool({
      ...infoOf(file),
      ...rulesOf(file, plan),
      input: fromJsonSchema(input),
      ...((output ?? plan.output) && { output: output ?? plan.output }),
      ...(plan.composite === true && { composite: true }),
      run: plan.run,
    });
    const declared = Object.entries(factsOf(plan, tool)).filter(([, value]) => value !== undefined);
    return declared.length === 0 ? tool : Object.freeze({ ...tool, ...Object.fromEntries(declared) });
  } catch (error) {
    if (!isFailureError(error)) throw error;
    report.add(error.reason ?? "tool_invalid", [optionInMessage(error.message)], [error.message]);
    return undefined;
  }
}

/** Facts of the entry that a file cannot state. */
function factsOf({ broken, unavailable, scripts, handlerNames, callerContent, destructive }: EntryPlan, tool: AnyTool) {
  const isOwn = handlerNames === undefined || tool.destructive === destructive;
  const entryDestructive = isOwn ? undefined : destructive;
  return { broken, unavailable, scripts, handlerNames, callerContent, entryDestructive };
}

/** The key that an error about a definition refers to: it names its option in backquotes. */
function optionInMessage(message: string): string {
  const option = /`(\w+)`/.exec(message)?.[1] ?? "name";
  return options.get(option) ?? option;
}

const options: ReadonlyMap<string, string> = new Map([
  ["displayName", "display_name"],
  ["timeoutMs", "timeout"],
  ["input", "parameters"],
]);

/** Info of the tool from the file; earlier checks guarantee the types. */
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
  const definition = Object.entries(info).filter(([, value]) => value != null);
  return Object.fromEntries(definition) as Partial<ToolInfo> & Pick<ToolInfo, "name" | "description">;
}

/** Settings of the file override those of the entry. */
function rulesOf(
  file: File,
  plan: EntryPlan,
): Pick<AnyTool, "effect" | "destructive" | "targets" | "sends" | "timeoutMs" | "cache"> {
  const stated = (file["effect"] as AnyTool["effect"] | null | undefined) ?? plan.effect;
  const effect = stated === "pure" && plan.isExternal === true ? "read" : stated;
  const destructive =
    (file["destructive"] as boolean | null | undefined) ?? impliedDestructive(file["effect"], plan.destructive);
  const timeoutMs = parseToolDuration(file["timeout"]) ?? plan.timeoutMs;
  const ttlMs = isRecord(file["cache"]) ? parseToolDuration(file["cache"]["ttl"]) : undefined;
  const cache = ttlMs === undefined ? (file["effect"] == null ? plan.cache : undefined) : { ttlMs };
  return {
    effect,
    destructive,
    ...reachOf(file, plan),
    ...definedOnly({ timeoutMs, cache }),
  };
}

/** The targets of a tool, and whether it sends. A file adds to what its entry declares; it removes nothing. */
function reachOf(file: File, plan: EntryPlan): Pick<AnyTool, "targets" | "sends"> {
  const targets = { ...(file["targets"] as AnyTool["targets"] | null), ...plan.targets };
  const sends = plan.sends === true || ((file["sends"] as boolean | null | undefined) ?? plan.sends);
  return { ...(Object.keys(targets).length > 0 && { targets }), ...(sends !== undefined && { sends }) };
}

/** The file without weaker effects that are refused; undefined if it must not replace a built-in tool. */
function withoutRefused(file: File, { report, world }: Pick<EntryInput, "report" | "world">): File | undefined {
  const { entry } = file;
  if (world.refuses === undefined || !isRecord(entry)) return file;
  const { relaxed, hides } = changedDefaults(file, entry, world.executors);
  const isRefused = (needs: ChangedDefaults, key: string): boolean => {
    const refusal = world.refuses?.({ ...needs, secrets: [] });
    if (refusal !== undefined)
      report.add("not_checked", [key], [refusal.message, { part: "key", severity: "warning" }]);
    return refusal !== undefined;
  };
  if (hides !== undefined && isRefused({ hides }, "name")) return undefined;
  const key = (file["effect"] ?? undefined) === undefined ? "destructive" : "effect";
  if (relaxed === undefined || !isRefused({ relaxed }, key)) return file;
  const { effect: _effect, destructive: _destructive, ...rest } = file;
  return rest;
}
