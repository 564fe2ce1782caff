import { type Failure, type FailureCode, failureKinds, withCliCommands } from "../../../base/index.ts";
import type { ToolError } from "../../../tool/index.ts";
import { type ExitCode, exitCodes } from "../../program/exit-codes.ts";
import { type Invocation, commandLine, shellWord } from "../../program/invocation.ts";
import { codeOf, reportFormattedError } from "../../program/report-error.ts";

/** Context of a failed call. */
export interface CallFailureContext {
  readonly invocation: Invocation;
  /** Number of workspace files that could not be loaded: a missing tool may be in one of them. */
  readonly brokenFiles: number;
  /** The JSON form of values that were written as plain text and cannot be, by key. */
  readonly forms?: ReadonlyMap<string, string> | undefined;
}

const codes: Partial<Record<FailureCode, ExitCode>> = {
  validation_error: exitCodes.usage,
  tool_not_found: exitCodes.usage,
  approval_required: exitCodes.waiting,
  timeout: exitCodes.timeout,
  queue_timeout: exitCodes.timeout,
};

/** Exit code for a failed call. */
export function exitCodeOf({ code, reason }: Failure): ExitCode {
  if (reason === "not_trusted") return exitCodes.usage;
  return codes[code] ?? exitCodes.failed;
}

/** Reports why a call failed, and what to do next. */
export function reportCallFailure(result: ToolError, context: CallFailureContext): void {
  const { invocation, forms } = context;
  const { error, tool } = result;
  const issues = error.issues ?? [];
  const details = issues.map(({ message, suggestion }) =>
    suggestion === undefined || message.includes(suggestion) ? message : `${message}, did you mean "${suggestion}"?`,
  );
  // The engine's message lists the issues in one line; here each has its own.
  const message =
    error.code === "validation_error" && issues.length > 0 ? `invalid arguments for ${tool}` : error.message;
  reportFormattedError(invocation.terminal, {
    message,
    code: codeOf(error),
    details,
    hints: [...issues.flatMap(({ path }) => forms?.get(String(path[0])) ?? []), ...hintsFor(result, context)],
  });
}

function hintsFor({ error, tool }: ToolError, { invocation, brokenFiles }: CallFailureContext): string[] {
  switch (error.code) {
    case "tool_not_found": {
      if (error.reason === "broken_file") return [`for details: ${commandLine(invocation, "validate")}`];
      const broken = `some files could not be loaded; for details: ${commandLine(invocation, "validate")}`;
      return [`list tools with: ${commandLine(invocation, "tools")}`, ...(brokenFiles > 0 ? [broken] : [])];
    }
    case "validation_error":
      return [`show its parameters with: ${commandLine(invocation, "tools", "show", shellWord(tool))}`];
    case "approval_required":
      return error.approvalId === undefined
        ? [withCliCommands(failureKinds.approval_required.remedy)]
        : [`approve it with: ${commandLine(invocation, "approve", error.approvalId)}; then repeat the call`];
    case "executor_not_found":
      return [`find where it is referenced with: ${commandLine(invocation, "validate")}`];
    case "output_invalid":
      return error.reason === "contract" ? [contractHint(tool, invocation)] : remedyOf(error);
    case "timeout":
      return ["allow more time with --timeout SECONDS"];
    default:
      return remedyOf(error);
  }
}

/** The tool itself may be fine: the mapping of its output does not match the contract. */
function contractHint(tool: string, invocation: Invocation): string {
  return `fix \`output\`, or the tool's \`result\`, in the contract; find it with: ${commandLine(invocation, "tools", "show", shellWord(tool))}`;
}

/** Remedies by code; empty if the message already contains the remedy, or if there is none. */
function remedyOf({ code, reason }: Failure): string[] {
  if (code === "execution_error" || code === "cancelled") return [];
  if (code === "permission_denied" && (reason === "rejected" || reason === "not_trusted")) return [];
  // A failure with a reason explains in its message what to do, and often there is nothing to do.
  if (code === "not_available" && reason !== undefined) return [];
  return [withCliCommands(failureKinds[code].remedy)];
}
