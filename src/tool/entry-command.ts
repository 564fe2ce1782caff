import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type FailureError, fail, isBelow, realPlace } from "../base/index.ts";
import { cutDisplay, stripUnsafe } from "../text/index.ts";
import type { EntryPlan, EntrySource, EntryWorld } from "./entry-plan.ts";
import { type ProcessResult, runProcess } from "./entry-process.ts";
import {
  type Template,
  TemplateReader,
  type TemplateScope,
  type TemplateTree,
  referencesIn,
  resolveTemplate,
  resolveTree,
  textOf,
} from "./entry-template.ts";
import { durationMs } from "./tool-file-duration.ts";
import { type FileReport, isMap } from "../schema/index.ts";

/** More output than this is not for a model. */
const maxBytes = 1_048_576;

interface CommandPlan {
  readonly program: string;
  /** One argument each; text of a value that starts with `-` is an option to most programs, hence `--` in files. */
  readonly args: readonly Template[];
  readonly stdin: TemplateTree | undefined;
  readonly env: readonly (readonly [string, TemplateTree])[];
  readonly cwd: string;
  readonly json: boolean;
}

/** An `external` entry with a `command`: a program and its arguments, never a shell. */
export async function readCommandEntry({ entry, parameters, report, world }: EntrySource): Promise<EntryPlan> {
  const secretNames = world.secretNames === undefined ? undefined : new Set(world.secretNames);
  const reader = new TemplateReader(report, { parameters, secretNames });
  const [program = "", ...rest] = Array.isArray(entry["command"]) ? entry["command"].map(textOf) : [];
  if (program.trim() === "" || program.includes("${")) {
    report.add("bad_value", ["entry", "command", 0], ["the program must be written out, without a reference"]);
  }
  const args = rest.map((item, index) => reader.read(item, ["entry", "command", index + 1]));
  checkSecrets(args, report);
  const plan: CommandPlan = {
    program,
    args,
    stdin: entry["stdin"] === undefined ? undefined : reader.readTree(entry["stdin"], ["entry", "stdin"]),
    env: readEnv(entry["env"], reader, report),
    cwd: await readFolder(entry["cwd"], world.root, report),
    json: entry["output"] === "json",
  };
  return {
    run: (args: Readonly<Record<string, unknown>>, { secrets, signal }) =>
      execute(plan, { scope: { args, secrets }, signal, world }),
    effect: "once",
    destructive: true,
    timeoutMs: durationMs(entry["timeout"]),
  };
}

/** Every user of a machine can list the arguments of running programs. */
function checkSecrets(args: readonly Template[], report: FileReport): void {
  for (const [index, template] of args.entries()) {
    for (const { root, source } of referencesIn({ template })) {
      if (root !== "secret") continue;
      const message = `${source}: arguments of a program can be seen by others`;
      report.add(
        "secret_in_arguments",
        ["entry", "command", index + 1],
        [message, { hint: 'pass it through "env" or "stdin"', within: source }],
      );
    }
  }
}

function readEnv(value: unknown, reader: TemplateReader, report: FileReport): (readonly [string, TemplateTree])[] {
  if (!isMap(value)) return [];
  return Object.entries(value).map(([name, item]) => {
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      report.add("bad_value", ["entry", "env", name], [`"${name}" is no name of a variable`, { part: "key" }]);
    }
    return [name, reader.readTree(item, ["entry", "env", name])] as const;
  });
}

async function readFolder(value: unknown, root: string, report: FileReport): Promise<string> {
  const folder = resolve(root, typeof value === "string" ? value : ".");
  if (!isBelow(folder, root) || (await realPlace(folder, root)).kind === "outside") {
    report.add("outside_workspace", ["entry", "cwd"], ["the folder is outside the workspace"]);
  }
  return folder;
}

/** Asked at every call: what was a folder when the file was loaded may have become a link since. */
async function realFolder(cwd: string, root: string): Promise<string> {
  const place = await realPlace(cwd, root);
  if (place.kind === "inside") return place.path;
  if (place.kind === "missing") throw noFolder(cwd);
  const message = `the folder ${cwd} is a link that leads out of the workspace`;
  throw fail(message, { code: "permission_denied", reason: "outside_workspace", retry: "never" });
}

function noFolder(cwd: string): FailureError {
  const message = `the folder ${cwd} does not exist`;
  return fail(message, { code: "not_available", reason: "folder_not_found", retry: "never" });
}

interface Call {
  readonly scope: TemplateScope;
  readonly signal: AbortSignal;
  readonly world: EntryWorld;
}

async function execute(plan: CommandPlan, { scope, signal, world }: Call): Promise<unknown> {
  const args = plan.args.flatMap((template) => argument(template, scope));
  const stdin = plan.stdin && textOf(resolveTree(plan.stdin, scope));
  const env = environment(plan, scope, world);
  if ([...args, ...Object.values(env)].some((text) => text.includes("\0"))) {
    throw fail("an argument holds a NUL character", { code: "validation_error", reason: "nul_character" });
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

/** A list item is one argument; one that is only a reference to something missing is none. */
function argument(template: Template, scope: TemplateScope): string[] {
  const value = resolveTemplate(template, scope);
  return value === undefined || value === null ? [] : [textOf(value)];
}

function environment({ env }: CommandPlan, scope: TemplateScope, world: EntryWorld): Record<string, string> {
  const result: Record<string, string> = {};
  const usual = process.platform === "win32" ? ["PATH", "Path", "SystemRoot", "TEMP"] : ["PATH", "HOME", "LANG"];
  for (const name of usual) {
    const value = world.env[name];
    if (value !== undefined) result[name] = value;
  }
  for (const [name, tree] of env) {
    const value = resolveTree(tree, scope);
    if (value !== undefined && value !== null) result[name] = textOf(value);
  }
  return result;
}

function notStarted({ program, cwd }: CommandPlan, error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" && !isFolder(cwd)) return noFolder(cwd);
  if (code === "ENOENT") {
    const message = `the program ${program} was not found; install it, or write its path`;
    return fail(message, { code: "not_available", reason: "command_not_found", retry: "never" });
  }
  if (code === "EACCES") {
    const message = `the program ${program} may not be run`;
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
  if (signal.aborted) return fail(`${plan.program} was ended`, { code: "cancelled" });
  if (result.overflow) {
    const message = `${plan.program} printed more than ${maxBytes} bytes and was ended`;
    return fail(message, { code: "output_invalid", reason: "too_large" });
  }
  if (result.code !== 0) return exitFailure(plan.program, result);
  const text = new TextDecoder().decode(result.stdout).replace(/\r?\n$/, "");
  return plan.json ? parsed(plan.program, text) : text;
}

function exitFailure(program: string, { code, signal, stderr, stdout }: ProcessResult): FailureError {
  // Some programs complain on stdout.
  const told = stderr.trim() === "" ? stdout.subarray(-2_048).toString("utf8") : stderr;
  const tail = stripUnsafe(told).trim().slice(-1_000);
  const how = code === null ? `was ended by ${signal ?? "a signal"}` : `ended with exit code ${code}`;
  const reason = code === null ? `signal_${signal ?? "unknown"}` : `exit_${code}`;
  return fail(`${program} ${how}${tail === "" ? "" : `: ${tail}`}`, { reason });
}

function parsed(program: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const shown = cutDisplay(stripUnsafe(text.slice(0, 500)), 200);
    return fail(`${program} did not print JSON: ${shown}`, { code: "output_invalid", reason: "not_json" });
  }
}
