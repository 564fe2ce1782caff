import type { ApprovalRequest } from "../store/index.ts";
import { prettyPrintJson, showUnsafe, stripUnsafe } from "../text/index.ts";
import type { ElicitRequest, ElicitResult } from "../tool/index.ts";
import type { RequestApproval } from "./approval-service.ts";

/** The parts of an approval that the approver must see in full. */
type ApprovalSubject = Pick<ApprovalRequest, "message" | "tool" | "args">;

/** No one reads more than this before approving. */
const maxDisplayedChars = 20_000;

/**
 * Converts an approval to an elicitation for the caller: the tool, its exact arguments, and yes or no. Undefined if the
 * arguments are too long to be shown in full: the approval must then be decided elsewhere.
 */
export function toApprovalElicitation({ message, tool, args }: ApprovalSubject): ElicitRequest | undefined {
  const { text: shown, cut } = prettyPrintJson(JSON.stringify(args ?? {}), maxDisplayedChars);
  if (cut) return undefined;
  return {
    message: `${showUnsafe(message)}\n\n${showUnsafe(tool)}\n${visible(shown)}`,
    schema: {
      type: "object",
      properties: {
        approve: {
          type: "boolean",
          title: "Allow",
          description: "Allow this call, once, with exactly these arguments.",
        },
      },
      required: ["approve"],
    },
  };
}

/**
 * Requests approvals with an elicitation, from the user behind a client or a caller. Undefined if it is dismissed, or too
 * long to be shown in full.
 */
export function elicitApproval(
  elicit: (request: ElicitRequest, signal: AbortSignal) => Promise<ElicitResult>,
  { by, declined }: { readonly by?: string; readonly declined: string },
): RequestApproval<ApprovalRequest> {
  return async (approval, signal) => {
    const elicitation = toApprovalElicitation(approval);
    const answer = elicitation && (await elicit(elicitation, signal));
    if (answer === undefined || answer.action === "cancel") return undefined;
    const approved = answer.action === "accept" && answer.content["approve"] === true;
    return { approved, ...(by !== undefined && { by }), ...(!approved && { note: declined }) };
  };
}

/** Escapes each line separately, so that line breaks remain. */
function visible(text: string): string {
  return stripUnsafe(text) === text ? text : text.split("\n").map(showUnsafe).join("\n");
}
