import { jsonText } from "../base/index.ts";
import { type ApprovalRequest, tooLargeToAsk } from "../store/index.ts";
import { type AnyTool, fingerprintTool } from "../tool/index.ts";
import { approvalKey } from "./approver.ts";
import type { Call } from "./call.ts";
import type { Answer, Approver } from "./approver.ts";
import { isChoice } from "./job.ts";

/** A question to a person about one call, and the arguments that the answer is bound to. */
export interface Question {
  /** The arguments as JSON: whatever the caller does to its objects meanwhile, this is what was approved and runs. */
  readonly args: unknown;
  readonly answer: Promise<Answer>;
  /** Nobody waits for the answer any more. */
  withdraw(): void;
}

/** Asks whether a call may run with exactly these arguments. */
export function askFor(call: Call, tool: AnyTool): Question {
  const { core, context } = call;
  const json = jsonText(call.given);
  const args: unknown = "text" in json ? JSON.parse(json.text) : call.given;
  // What JSON cannot tell apart must not share an approval: then it covers this one call.
  const bound = "text" in json ? args : { callId: call.callId };
  const waiting = new AbortController();
  // Bound to the tool as it is now, too: who approved knows nothing of another one under its name.
  const request = {
    key: approvalKey(tool.name, [fingerprintTool(tool), tool.description, bound], context.principal),
    tool: tool.name,
    // What only looks like a secret stays: nobody can decide on what is hidden from them.
    args: core.redactor.known(args),
    message: `Allow ${tool.displayName} to run with these arguments?`,
    callerType: context.callerType ?? "direct",
    expiresAt: call.executedAt + core.limits.approvalMs,
    ...(context.principal !== undefined && { principal: context.principal }),
  };
  const unseen = "text" in json ? tooLargeToAsk(Buffer.byteLength(json.text)) : undefined;
  const answer: Promise<Answer> =
    unseen === undefined
      ? ask(call, request, waiting.signal)
      : Promise.resolve({ kind: "rejected", asked: false, note: unseen });
  return { args, answer, withdraw };

  function withdraw(): void {
    waiting.abort();
    // It may say yes all the same, and use up an approval for nothing.
    answer.then((late) => late.kind === "approved" && late.giveBack && giveBack(late.giveBack), ignore);
  }
}

/** Returns an approval that was used up for nothing. An approver that cannot take it back keeps it. */
export function giveBack(take: () => Promise<void>): void {
  Promise.resolve().then(take).catch(ignore);
}

function ignore(): void {}

/** Approvers are written by users: one that answers nonsense has not approved anything. */
async function ask(call: Call, request: ApprovalRequest, signal: AbortSignal): Promise<Answer> {
  const { approver, chosen } = askedFor(call);
  const answer = await approver.ask(request, signal, chosen);
  if (["approved", "rejected", "parked"].includes(answer?.kind)) return answer;
  throw new TypeError("the approver gave no answer of the kind approved, rejected or parked");
}

/** Whoever is asked: the owner of the call, or of the nearest one around it that has an owner, and whether that chose. */
function askedFor(call: Call): { readonly approver: Approver; readonly chosen: boolean } {
  let approver = call.context.hooks?.approver;
  let chosen = approver === undefined && call.parent !== undefined;
  for (let outer = call.parent; approver === undefined && outer !== undefined; outer = outer.parent) {
    approver = outer.context.hooks?.innerApprover;
    chosen &&= isChoice(outer);
  }
  return { approver: approver ?? call.core.approver, chosen };
}
