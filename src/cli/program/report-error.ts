import { type FailureCode, type FailureError, failureKinds, isFailureError } from "../base/index.ts";
import { type Problem, stripUnsafe } from "../text/index.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import type { Invocation } from "./invocation.ts";
import { safeJson } from "./safe-json.ts";
import { tellProblems } from "./tell-problems.ts";
import { tellWrapped } from "./tell-wrapped.ts";
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

/** How programs are told: in a document, or in one line among others; undefined where they are not. */
export type JsonForm = "document" | "line" | undefined;

/** How the options of a command ask for JSON. */
export function jsonIn({ flag }: Pick<Invocation, "flag">): JsonForm {
  if (flag("events")) return "line";
  return flag("json") ? "document" : undefined;
}

/** Tells a person what went wrong, in the fewest words that help, and a program too with `json`; gives the exit code. */
export async function reportError(error: unknown, terminal: Terminal, json: JsonForm): Promise<ExitCode> {
  if (error instanceof UsageError) {
    tellError(terminal, { message: error.message, hints: error.hints });
    printFailure(terminal, { code: usageCode, message: error.message }, json);
    return exitCodes.usage;
  }
  if (isFailureError(error)) {
    printFailure(terminal, error, json);
    return await reportFailure(error, terminal);
  }
  reportUnexpected(error, terminal, json);
  return exitCodes.failed;
}

/** The code of a mistake in the command line, for programs. */
export const usageCode = "usage_error";

/** What of a failure programs are told. */
export interface PrintedFailure {
  readonly code: string;
  readonly reason?: string | undefined;
  readonly message: string;
}

/** Prints a failure as a failed call is printed; a document not behind a result that is out already. */
export function printFailure(terminal: Terminal, { code, reason, message }: PrintedFailure, json: JsonForm): void {
  if (json === undefined || (json === "document" && terminal.printed)) return;
  const error = { code, ...(reason !== undefined && { reason }), message };
  terminal.print(safeJson({ success: false, error }, json === "line" ? 0 : 2));
}

/** `error: message [code]`, the details, then what to do. */
export function tellError(terminal: Terminal, { message, code, details = [], hints = [] }: Told): void {
  const behind = code === undefined ? "" : terminal.tint("dim", `[${code}]`);
  // A message may go on in further lines, such as the place in an expression.
  const [first = "", ...rest] = stripUnsafe(message).split("\n");
  tellWrapped(first, terminal, { lead: `${terminal.tint("red", "error:")} `, behind });
  for (const line of rest) terminal.tell(line);
  for (const detail of details) tellWrapped(stripUnsafe(detail), terminal, { lead: "  - " });
  for (const hint of hints) tellWrapped(stripUnsafe(hint), terminal, { lead: "  ", style: "cyan" });
}

/** Something that nobody thought of. */
export function reportUnexpected(error: unknown, terminal: Terminal, json?: JsonForm): void {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  printFailure(terminal, { code: "unexpected", message }, json);
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
  const { isUnasked } = await import("../model/index.ts");
  if (isUnasked(error)) {
    tellError(terminal, { message: error.message, code: codeOf(error), hints: withoutModel });
    return exitCodes.usage;
  }
  if (problems === undefined) {
    const hints = error.code.startsWith("run_") ? [failureKinds[error.code].remedy] : [];
    tellError(terminal, { message: error.message, code: codeOf(error), hints });
  } else {
    const { findWorkspace } = await import("../app/index.ts");
    await tellProblems(terminal, problems, { dir: await findWorkspace(".") });
  }
  return usageCodes.has(error.code) ? exitCodes.usage : exitCodes.failed;
}

/** `not_available: no_model`. */
export function codeOf({ code, reason }: Pick<PrintedFailure, "code" | "reason">): string {
  return reason === undefined ? code : `${code}: ${reason}`;
}

/** What can be done where there is no model, or no key for it. */
export const withoutModel: readonly string[] = [
  "ask --runner vault answers from your notes without a model",
  "windlass doctor shows what is set up",
];

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
