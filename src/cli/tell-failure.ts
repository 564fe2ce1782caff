import { type Failure, type FailureCode, failureKinds } from "../base/index.ts";
import type { ToolError } from "../tool/index.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { type Invocation, commandLine, shellWord } from "./invocation.ts";
import { codeOf, tellError } from "./report-error.ts";

/** What is known around a failed call. */
export interface FailureSetting {
  readonly invocation: Invocation;
  /** Files of the workspace that could not be used: a missing tool may be in one of them. */
  readonly brokenFiles: number;
}

const codes: Partial<Record<FailureCode, ExitCode>> = {
  validation_error: exitCodes.usage,
  tool_not_found: exitCodes.usage,
  approval_required: exitCodes.waiting,
  timeout: exitCodes.timeout,
  queue_timeout: exitCodes.timeout,
};

/** The exit code that a failed call ends with. */
export function exitCodeOf({ code }: Failure): ExitCode {
  return codes[code] ?? exitCodes.failed;
}

/** Tells a person why a call failed, and what to do next. */
export function tellFailure(result: ToolError, { invocation, brokenFiles }: FailureSetting): void {
  const { error, tool } = result;
  const issues = error.issues ?? [];
  const details = issues.map(({ message, suggestion }) =>
    suggestion === undefined || message.includes(suggestion) ? message : `${message}, did you mean "${suggestion}"?`,
  );
  // The engine's message lists the issues in one line; here each has its own.
  const message =
    error.code === "validation_error" && issues.length > 0 ? `${tool} does not take these arguments` : error.message;
  tellError(invocation.terminal, {
    message,
    code: codeOf(error),
    details,
    hints: hintsFor(result, { invocation, brokenFiles }),
  });
}

function hintsFor({ error, tool }: ToolError, { invocation, brokenFiles }: FailureSetting): string[] {
  switch (error.code) {
    case "tool_not_found": {
      const broken = `${commandLine(invocation, "validate")} tells about files that could not be used`;
      return [`${commandLine(invocation, "tools")} lists the tools`, ...(brokenFiles > 0 ? [broken] : [])];
    }
    case "validation_error":
      return [`${commandLine(invocation, "tools", "show", shellWord(tool))} shows what it takes`];
    case "approval_required":
      return error.approvalId === undefined
        ? [failureKinds.approval_required.remedy]
        : [`${commandLine(invocation, "approve", error.approvalId)}   allows it; then make the same call again`];
    case "executor_not_found":
      return [`${commandLine(invocation, "validate")} shows where it is named`];
    case "output_invalid":
      return error.reason === "contract" ? [contractHint(tool, invocation)] : remedyOf(error);
    case "timeout":
      return ["--timeout SECONDS gives it more time"];
    default:
      return remedyOf(error);
  }
}

/** The tool may well be right: what does not fit is how its output is mapped. */
function contractHint(tool: string, invocation: Invocation): string {
  return `mend \`output\`, or the tool's \`result\`, in the contract; ${commandLine(invocation, "tools", "show", shellWord(tool))} tells where it is`;
}

/** What to do by the code alone; nothing where the message says it, or where there is nothing to do. */
function remedyOf({ code, reason }: Failure): string[] {
  if (code === "execution_error" || code === "cancelled") return [];
  if (code === "permission_denied" && reason === "rejected") return [];
  // What has a reason says by itself what is to be done, and often nothing is.
  if (code === "not_available" && reason !== undefined) return [];
  return [failureKinds[code].remedy];
}
