import {
  type FailureCode,
  type FailureError,
  failureKinds,
  isFailureError,
  cliCommand,
  withCliCommands,
} from "../../base/index.ts";
import { type Problem, stripUnsafe } from "../../text/index.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import type { Invocation } from "./invocation.ts";
import { safeJson } from "../terminal/safe-json.ts";
import { reportProblems } from "../terminal/report-problems.ts";
import { logWrapped } from "../terminal/log-wrapped.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { isUsageError } from "./usage-error.ts";

/** An error message with its details and hints. */
export interface ErrorReport {
  readonly message: string;
  /** Code of the failure, shown after the message. */
  readonly code?: string;
  /** Details, one per line below the message. */
  readonly details?: readonly string[];
  /** Hints, one per line. */
  readonly hints?: readonly string[];
}

/** JSON form of an error: a document, or one line among others; undefined if no JSON is requested. */
export type JsonForm = "document" | "line" | undefined;

/** The JSON form that the options of a command request. */
export function jsonIn({ flag }: Pick<Invocation, "flag">): JsonForm {
  if (flag("events")) return "line";
  return flag("json") ? "document" : undefined;
}

/** Reports an error to the user, and as JSON if `json` is set; returns the exit code. */
export async function reportError(error: unknown, terminal: Terminal, json: JsonForm): Promise<ExitCode> {
  if (isUsageError(error)) {
    reportFormattedError(terminal, { message: error.message, hints: error.hints });
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

/** Code of a usage error in JSON output. */
export const usageCode = "usage_error";

/** Fields of a failure in JSON output. */
export interface PrintedFailure {
  readonly code: string;
  readonly reason?: string | undefined;
  readonly message: string;
}

/** Prints a failure in the form of a failed call; as a document only if no result was printed yet. */
export function printFailure(terminal: Terminal, { code, reason, message }: PrintedFailure, json: JsonForm): void {
  if (json === undefined || (json === "document" && terminal.printed)) return;
  const error = { code, ...(reason !== undefined && { reason }), message };
  terminal.print(safeJson({ success: false, error }, json === "line" ? 0 : 2));
}

/** `error: message [code]`, the details, then the hints. */
export function reportFormattedError(
  terminal: Terminal,
  { message, code, details = [], hints = [] }: ErrorReport,
): void {
  const behind = code === undefined ? "" : terminal.tint("dim", `[${code}]`);
  // A message may have further lines, such as the position in an expression.
  const [first = "", ...rest] = stripUnsafe(message).split("\n");
  logWrapped(first, terminal, { lead: `${terminal.tint("red", "error:")} `, behind });
  // Indented, because a tool or a server may have chosen the text.
  for (const line of rest) terminal.log(`  ${line}`);
  for (const detail of details) logWrapped(stripUnsafe(detail), terminal, { lead: "  - " });
  for (const hint of hints) logWrapped(stripUnsafe(hint), terminal, { lead: "  ", style: "cyan" });
}

/** Reports an unexpected error. */
export function reportUnexpected(error: unknown, terminal: Terminal, json?: JsonForm): void {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  printFailure(terminal, { code: "unexpected", message }, json);
  if (process.env["WINDLASS_DEBUG"] === "1" && error instanceof Error)
    return reportFormattedError(terminal, { message: `unexpected: ${error.stack ?? message}` });
  const hints = [
    "this is a bug in Windlass or in a tool; please report it",
    "set WINDLASS_DEBUG=1 to see the stack trace",
  ];
  reportFormattedError(terminal, { message: `unexpected: ${message}`, hints });
}

async function reportFailure(error: FailureError, terminal: Terminal): Promise<ExitCode> {
  const problems = problemsOf(error);
  const { isModelMissing } = await import("../../model/index.ts");
  if (isModelMissing(error)) {
    reportFormattedError(terminal, { message: error.message, code: codeOf(error), hints: hintsWithoutModel() });
    return exitCodes.usage;
  }
  if (problems === undefined) {
    const hints = error.code.startsWith("run_") ? [withCliCommands(failureKinds[error.code].remedy)] : [];
    reportFormattedError(terminal, { message: error.message, code: codeOf(error), hints });
  } else {
    const { findWorkspace } = await import("../../app/index.ts");
    await reportProblems(terminal, problems, { dir: await findWorkspace(".") });
  }
  return usageCodes.has(error.code) || error.reason === "not_trusted" ? exitCodes.usage : exitCodes.failed;
}

/** Formats code and reason: `not_available: no_model`. */
export function codeOf({ code, reason }: Pick<PrintedFailure, "code" | "reason">): string {
  return reason === undefined ? code : `${code}: ${reason}`;
}

/** Hints for a missing model or key. */
export function hintsWithoutModel(): readonly string[] {
  return [
    `without a model, answer from your notes with: ${cliCommand("ask")} --runner vault`,
    `check the configuration with: ${cliCommand("doctor")}`,
  ];
}

const usageCodes: ReadonlySet<FailureCode> = new Set([
  "file_invalid",
  "tool_invalid",
  "chain_invalid",
  // For a name on the command line; a call that finds no tool is reported as a result.
  "tool_not_found",
  "validation_error",
]);

/** Problems of files, if the failure contains them. */
function problemsOf(error: FailureError): readonly Problem[] | undefined {
  if (!("problems" in error) || !Array.isArray(error.problems)) return undefined;
  // Only WorkspaceError and ChainError have them.
  return error.problems as readonly Problem[];
}
