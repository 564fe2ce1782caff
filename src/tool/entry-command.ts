import { statSync } from "node:fs";
import { resolve, basename } from "node:path";
import { type FailureError, fail, isInsideFolder, resolveRealPath, parseJson, systemErrorCode } from "../base/index.ts";
import { cutDisplay, stripUnsafe } from "../text/index.ts";
import { commandFiles, hashScripts } from "./command-files.ts";
import type { EntryPlan, EntryInput, EntryDeps } from "./entry-plan.ts";
import { type ProcessResult, runProcess } from "./entry-process.ts";
import {
  type EntryTemplate,
  TemplateReader,
  type TemplateScope,
  type TemplateTree,
  referencesIn,
  resolveTemplate,
  resolveTemplateTree,
  templateText,
  type TemplateReference,
} from "./entry-template.ts";
import { parseToolDuration } from "./tool-file-duration.ts";
import { type FileReport, isRecord, type JsonSchema } from "../schema/index.ts";

/** Larger output is not suitable for a model. */
const maxBytes = 1_048_576;

interface CommandPlan {
  readonly program: string;
  /** One argument each. A value that starts with `-` is an option to most programs, hence `--` in files. */
  readonly args: readonly EntryTemplate[];
  readonly stdin: TemplateTree | undefined;
  readonly env: readonly (readonly [string, TemplateTree])[];
  readonly cwd: string;
  readonly json: boolean;
}

/** An `external` entry with a `command`: a program and its arguments, never a shell. */
export async function readCommandEntry({ entry, parameters, report, world }: EntryInput): Promise<EntryPlan> {
  const secretNames = world.secretNames === undefined ? undefined : new Set(world.secretNames);
  const reader = new TemplateReader(report, { parameters, secretNames });
  const [program = "", ...rest] = Array.isArray(entry["command"]) ? entry["command"].map(templateText) : [];
  if (program.trim() === "" || program.includes("${")) {
    report.add("bad_value", ["entry", "command", 0], ["the program must be a literal, without a reference"]);
  }
  const args = rest.map((item, index) => reader.read(item, ["entry", "command", index + 1]));
  checkSecrets(args, report);
  checkCommand(program, args, parameters, report);
  const plan: CommandPlan = {
    program,
    args,
    stdin: entry["stdin"] === undefined ? undefined : reader.readTree(entry["stdin"], ["entry", "stdin"]),
    env: readEnv(entry["env"], reader, report),
    cwd: await readFolder(entry["cwd"], world.root, report),
    json: entry["output"] === "json",
  };
  // A word of a command; empty if it holds a reference.
  const words = [program, ...rest].map((word) => (word.includes("${") ? "" : word));
  return {
    run: (args: Readonly<Record<string, unknown>>, { secrets, signal }) =>
      execute(plan, { scope: { args, secrets }, signal, world }),
    effect: "once",
    timeoutMs: parseToolDuration(entry["timeout"]),
    scripts: () => hashScripts(words, { cwd: plan.cwd, root: world.root }),
    commandFiles: commandFiles(words, plan.cwd),
  };
}

/** Every user of the machine can list the arguments of running programs. */
function checkSecrets(args: readonly EntryTemplate[], report: FileReport): void {
  for (const [index, template] of args.entries()) {
    for (const { root, source } of referencesIn({ template })) {
      if (root !== "secret") continue;
      const message = `${source}: program arguments are visible to other users`;
      report.add(
        "secret_in_arguments",
        ["entry", "command", index + 1],
        [message, { hint: 'pass it through "env" or "stdin"', within: source }],
      );
    }
  }
}

function readEnv(value: unknown, reader: TemplateReader, report: FileReport): (readonly [string, TemplateTree])[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).map(([name, item]) => {
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      report.add("bad_value", ["entry", "env", name], [`"${name}" is not a valid variable name`, { part: "key" }]);
    }
    return [name, reader.readTree(item, ["entry", "env", name])] as const;
  });
}

async function readFolder(value: unknown, root: string, report: FileReport): Promise<string> {
  const folder = resolve(root, typeof value === "string" ? value : ".");
  if (!isInsideFolder(folder, root) || (await resolveRealPath(folder, root)).kind === "outside") {
    report.add("outside_workspace", ["entry", "cwd"], ["the folder is outside the workspace"]);
  }
  return folder;
}

/** Checked at every call: a folder may have become a link since the file was loaded. */
async function realFolder(cwd: string, root: string): Promise<string> {
  const realPath = await resolveRealPath(cwd, root);
  if (realPath.kind === "inside") return realPath.path;
  if (realPath.kind === "missing") throw noFolder(cwd);
  const message = `the folder ${cwd} is a link that leads out of the workspace`;
  throw fail(message, { code: "permission_denied", reason: "outside_workspace", retry: "never" });
}

function noFolder(cwd: string): FailureError {
  const message = `the folder ${cwd} does not exist`;
  return fail(message, { code: "not_available", reason: "folder_not_found", retry: "never" });
}

async function execute(
  plan: CommandPlan,
  { scope, signal, world }: { readonly scope: TemplateScope; readonly signal: AbortSignal; readonly world: EntryDeps },
): Promise<unknown> {
  const args = plan.args.flatMap((template) => argument(template, scope));
  const stdin = plan.stdin && templateText(resolveTemplateTree(plan.stdin, scope));
  const env = environment(plan, scope, world);
  if ([...args, ...Object.values(env)].some((text) => text.includes("\0"))) {
    throw fail("an argument contains a NUL character", { code: "validation_error", reason: "nul_character" });
  }
  const { program } = plan;
  const cwd = await realFolder(plan.cwd, world.root);
  try {
    const result = await runProcess({ program, args, cwd, env, stdin, maxBytes, signal, clock: world.clock });
    return finish(plan, result, signal);
  } catch (error) {
    throw notStarted(plan, error);
  }
}

/** A list item is one argument; an item that is only a reference to a missing value is omitted. */
function argument(template: EntryTemplate, scope: TemplateScope): string[] {
  const value = resolveTemplate(template, scope);
  return value === undefined || value === null ? [] : [templateText(value)];
}

function environment({ env }: CommandPlan, scope: TemplateScope, world: EntryDeps): Record<string, string> {
  const result: Record<string, string> = {};
  const defaults = process.platform === "win32" ? ["PATH", "Path", "SystemRoot", "TEMP"] : ["PATH", "HOME", "LANG"];
  for (const name of defaults) {
    const value = world.env[name];
    if (value !== undefined) result[name] = value;
  }
  for (const [name, tree] of env) {
    const value = resolveTemplateTree(tree, scope);
    if (value !== undefined && value !== null) result[name] = templateText(value);
  }
  return result;
}

function notStarted({ program, cwd }: CommandPlan, error: unknown): unknown {
  const code = systemErrorCode(error);
  if (code === "ENOENT" && !isFolder(cwd)) return noFolder(cwd);
  if (code === "ENOENT") {
    const message = `the program ${program} was not found; install it, or write its path`;
    return fail(message, { code: "not_available", reason: "command_not_found", retry: "never" });
  }
  if (code === "EACCES") {
    const message = `the program ${program} is not executable`;
    return fail(message, { code: "not_available", reason: "command_not_executable", retry: "never" });
  }
  if (code === "E2BIG") {
    return fail(`the arguments of ${program} are too long`, { code: "validation_error", reason: "arguments_too_long" });
  }
  return error;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function finish(plan: CommandPlan, result: ProcessResult, signal: AbortSignal): unknown {
  if (signal.aborted) return fail(`${plan.program} was terminated`, { code: "cancelled" });
  if (result.overflow) {
    const message = `${plan.program} printed more than ${maxBytes} bytes and was terminated`;
    return fail(message, { code: "output_invalid", reason: "too_large" });
  }
  if (result.code !== 0) return exitFailure(plan.program, result);
  const text = new TextDecoder().decode(result.stdout).replace(/\r?\n$/, "");
  return plan.json ? parsed(plan.program, text) : text;
}

function exitFailure(program: string, { code, signal, stderr, stdout }: ProcessResult): FailureError {
  // Some programs report errors on stdout.
  const reported = stderr.trim() === "" ? stdout.subarray(-2_048).toString("utf8") : stderr;
  const tail = stripUnsafe(reported).trim().slice(-1_000);
  const how = code === null ? `was terminated by ${signal ?? "a signal"}` : `exited with code ${code}`;
  const reason = code === null ? `signal_${signal ?? "unknown"}` : `exit_${code}`;
  return fail(`${program} ${how}${tail === "" ? "" : `: ${tail}`}`, { reason });
}

function parsed(program: string, text: string): unknown {
  const value = parseJson(text);
  if (value !== undefined) return value;
  const shown = cutDisplay(stripUnsafe(text.slice(0, 500)), 200);
  return fail(`${program} did not print JSON: ${shown}`, { code: "output_invalid", reason: "not_json" });
}

/** Options of programs that take code as their value, by the name of the program. */
const codeOptions: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^(?:ba|da|k|z|a|fi|mk)?sh$/, /^-[a-z]*c$/],
  [/^(?:cmd|command)$/, /^\/[ck]$/i],
  [/^(?:powershell|pwsh)$/, /^-(?:c|command|e|ec|encodedcommand)$/i],
  [/^(?:node|bun)$/, /^(?:-[a-z]*[ep]|--eval|--print)$/],
  [/^deno$/, /^eval$/],
  [/^(?:python|pypy)$/, /^-[a-z]*c$/i],
  [/^perl$/, /^-[a-z]*e$/i],
  [/^(?:ruby|lua|osascript|rscript|julia)$/, /^-e$/],
  [/^php$/, /^-r$/],
];

/** Shells: their arguments after the code are never options. */
const shell = /^(?:ba|da|k|z|a|fi|mk)?sh$/;

/** An option and its code in one argument. */
const codeInOption = /^--(?:eval|print|command)=/;

/**
 * Warns about values of a caller that a program would execute as code, or take for an option: `sort` writes a file with
 * `--output=…`.
 */
function checkCommand(
  program: string,
  args: readonly EntryTemplate[],
  parameters: JsonSchema,
  report: FileReport,
): void {
  const words = [program, ...args.map(literalOf)];
  const code = findCode(words);
  const firstArgument = Math.min(
    ...[words.indexOf("--"), code?.isShell === true ? code.at : -1].filter((at) => at > 0),
  );
  for (const [index, template] of args.entries()) {
    const found = referencesIn({ template }).find(({ root }) => root === "input");
    if (found === undefined) continue;
    const [first] = template;
    const detail = { severity: "warning", within: found.source } as const;
    const at = index + 1;
    if (at === code?.at || (typeof first === "string" && codeInOption.test(first))) {
      const message = `${found.source}: ${program} executes this argument as code, so a caller can run anything`;
      const hint = 'pass the value through "stdin" or "env", or as an argument of its own';
      report.add("code_injection", ["entry", "command", at], [message, { ...detail, hint }]);
    } else if (first === found && at < firstArgument && mayBeOption(found, parameters)) {
      const message = `${found.source}: a value that starts with - is an option to most programs`;
      const hint = 'put "--" before it, or write it into the option: "--name=${input.name}"';
      report.add("option_injection", ["entry", "command", at], [message, { ...detail, hint }]);
    }
  }
}

/** The argument that an interpreter executes; another program may start it, as in `env sh -c …`. */
function findCode(words: readonly string[]): { readonly at: number; readonly isShell: boolean } | undefined {
  for (const [start, word] of words.entries()) {
    const name = programName(word);
    const options = codeOptions.filter(([program]) => program.test(name));
    const at = words.findIndex((one, index) => index > start && options.some(([, option]) => option.test(one)));
    if (at !== -1) return { at: at + 1, isShell: shell.test(name) };
  }
  return undefined;
}

/** `python` of `/usr/bin/python3.12`. */
function programName(word: string): string {
  const name = basename(word.replaceAll("\\", "/")).toLowerCase();
  return name.replace(/\.exe$/, "").replace(/[\d.]+$/, "");
}

function literalOf([first, ...rest]: EntryTemplate): string {
  return typeof first === "string" && rest.length === 0 ? first : "";
}

/** Numbers and choices cannot start an option. */
function mayBeOption({ path }: TemplateReference, { properties }: JsonSchema): boolean {
  const own = isRecord(properties) ? properties[String(path[0])] : undefined;
  if (!isRecord(own) || path.length > 1) return true;
  const choices = Array.isArray(own["enum"]) ? own["enum"] : undefined;
  if (choices !== undefined) return choices.some((choice) => String(choice).startsWith("-"));
  return !["integer", "number", "boolean"].includes(String(own["type"]));
}
