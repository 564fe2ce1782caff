import { type FailureCode, type FailureError, failureKinds, isFailureError } from "../base/index.ts";
import { type Problem, stripUnsafe } from "../text/index.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { safeJson } from "./safe-json.ts";
import { tellProblems } from "./tell-problems.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** What a person is told about an error. */
export interface Told {
  readonly message: string;
  /** The failure's code, shown behind the message. */
  readonly code?: string;
  /** One by one beneath it. */
  readonly details?: readonly string[];
  /** What to do, a line each. */
  readonly hints?: readonly string[];
}

/** Tells a person what went wrong, in the fewest words that help, and a program too with `json`; gives the exit code. */
export async function reportError(error: unknown, terminal: Terminal, json: boolean): Promise<ExitCode> {
  if (error instanceof UsageError) {
    tellError(terminal, { message: error.message, hints: error.hints });
    if (json) printFailure(terminal, usageCode, error.message);
    return exitCodes.usage;
  }
  if (isFailureError(error)) {
    if (json) printFailure(terminal, error.code, error.message);
    return await reportFailure(error, terminal);
  }
  reportUnexpected(error, terminal, json);
  return exitCodes.failed;
}

/** The code of a mistake in the command line, for programs. */
export const usageCode = "usage_error";

/** Prints a failure as a failed call is printed; not behind a result that is out already. */
export function printFailure(terminal: Terminal, code: string, message: string): void {
  if (!terminal.printed) terminal.print(safeJson({ success: false, error: { code, message } }));
}

/** `error: message [code]`, the details, then what to do. */
export function tellError(terminal: Terminal, { message, code, details = [], hints = [] }: Told): void {
  const behind = code === undefined ? "" : ` ${terminal.tint("dim", `[${code}]`)}`;
  // A message may go on in further lines, such as the place in an expression.
  const [first = "", ...rest] = stripUnsafe(message).split("\n");
  terminal.tell(`${terminal.tint("red", "error:")} ${first}${behind}`);
  for (const line of rest) terminal.tell(line);
  for (const detail of details) terminal.tell(`  - ${stripUnsafe(detail)}`);
  for (const hint of hints) terminal.tell(`  ${terminal.tint("cyan", stripUnsafe(hint))}`);
}

/** Something that nobody thought of. */
export function reportUnexpected(error: unknown, terminal: Terminal, json = false): void {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (json) printFailure(terminal, "unexpected", message);
  if (process.env["WINDLASS_DEBUG"] === "1" && error instanceof Error) {
    tellError(terminal, { message: `unexpected: ${error.stack ?? message}` });
    return;
  }
  const hints = [
    "this is a bug, of Windlass or of a tool's code; please report it",
    "WINDLASS_DEBUG=1 shows where it happened",
  ];
  tellError(terminal, { message: `unexpected: ${message}`, hints });
}

async function reportFailure(error: FailureError, terminal: Terminal): Promise<ExitCode> {
  const problems = problemsOf(error);
  if (problems === undefined) {
    const hints = error.code.startsWith("run_") ? [failureKinds[error.code].remedy] : [];
    tellError(terminal, { message: error.message, code: error.code, hints });
  } else {
    const { findWorkspace } = await import("../app/index.ts");
    await tellProblems(terminal, problems, { dir: await findWorkspace(".") });
  }
  return usageCodes.has(error.code) ? exitCodes.usage : exitCodes.failed;
}

const usageCodes: ReadonlySet<FailureCode> = new Set([
  "file_invalid",
  "tool_invalid",
  "chain_invalid",
  // Of a name that was typed; a call that finds no tool is told as a result.
  "tool_not_found",
  "validation_error",
]);

/** What is wrong with which file, where the failure is about files. */
function problemsOf(error: FailureError): readonly Problem[] | undefined {
  if (!("problems" in error) || !Array.isArray(error.problems)) return undefined;
  // Only WorkspaceError and ChainError have them.
  return error.problems as readonly Problem[];
}
