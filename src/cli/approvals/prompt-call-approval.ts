import type { RequestApproval } from "../../engine/index.ts";
import type { ApprovalRequest } from "../../store/index.ts";
import { toOneLine } from "../terminal/format-table.ts";
import { promptYesNo } from "../terminal/prompt-yes-no.ts";
import { describeDecision } from "./describe-approval.ts";
import { safeJson } from "../terminal/safe-json.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Prompts the person at the terminal for approval of a call. Without a clear "yes", the call is rejected. */
export function promptCallApproval(terminal: Terminal, by: string | undefined): RequestApproval<ApprovalRequest> {
  return async ({ message, tool, args }, signal) => {
    terminal.log(`${terminal.tint("yellow", "?")} ${toOneLine(message)}`);
    terminal.log(`  ${terminal.tint("bold", toOneLine(tool))} ${safeJson(args).replaceAll("\n", "\n  ")}`);
    const unclear = "Type y to run it; n or Enter does not run it.";
    const approved = (await promptYesNo({ terminal, prompt: "  Run it? [y/N] ", unclear }, signal)) === true;
    return {
      approved,
      ...(by !== undefined && { by }),
      ...(!approved && { note: "rejected at the terminal" }),
      onOvertaken: (approval) => terminal.log(`${approval.id} ${describeDecision(approval)}`),
    };
  };
}
