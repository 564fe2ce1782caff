import type { Clock } from "../../../base/index.ts";
import {
  type Answer,
  type Approver,
  approvalQuestion,
  approvalVerdict,
  parkingApprover,
} from "../../../engine/index.ts";
import type { Approval, ApprovalRequest, ApprovalStore } from "../../../store/index.ts";
import type { ServedClient } from "./served-client.ts";

/** What {@link elicitingApprover} needs. */
export interface ElicitingApproverParts {
  readonly client: ServedClient;
  readonly approvals: ApprovalStore;
  readonly clock: Clock;
  /** Who decides, for the record. */
  readonly by: string;
}

/**
 * Asks the person behind a client. A decision that someone else made counts first, also one made while the question was
 * open. A yes is kept like every other approval and used up by the call; a no only ends the call, so that a slip of the
 * finger can be mended. A question that is dismissed, or too long to be shown whole, is parked.
 */
export function elicitingApprover({ client, approvals, clock, by }: ElicitingApproverParts): Approver {
  const parked = parkingApprover(approvals, clock);
  return {
    async ask(request, signal) {
      const earlier = await decidedBefore(approvals, request, clock.now());
      const question = approvalQuestion(request);
      if (earlier !== undefined) return earlier;
      if (question === undefined) return parked.ask(request, signal);
      const verdict = approvalVerdict(await client.elicit(question, { signal }));
      if (signal.aborted) return { kind: "rejected", asked: false, note: "the call was cancelled" };
      if (verdict === undefined) return parked.ask(request, signal);
      return verdict ? approve(request) : { kind: "rejected", note: `declined in ${by}` };
    },
  };

  async function approve(request: ApprovalRequest): Promise<Answer> {
    const asked = await approvals.request(request);
    const decided = (await approvals.decide(asked.id, { approved: true, by }, clock.now())) ?? asked;
    const isUsed = decided.status === "approved" && (await approvals.consume(request.key, clock.now()));
    return isUsed ? approved(approvals, request) : refusal(decided);
  }
}

async function decidedBefore(
  approvals: ApprovalStore,
  request: ApprovalRequest,
  now: number,
): Promise<Answer | undefined> {
  if (await approvals.consume(request.key, now)) return approved(approvals, request);
  const isSame = ({ key, expiresAt }: Approval): boolean => key === request.key && now < expiresAt;
  const rejected = (await approvals.list(now, "rejected")).find(isSame);
  return rejected && refusal(rejected);
}

/** One that was used up for a call which then never started is given back. */
function approved(approvals: ApprovalStore, { key }: ApprovalRequest): Answer {
  return { kind: "approved", giveBack: () => approvals.restore(key) };
}

function refusal({ status, note }: Approval): Answer {
  if (status === "rejected") return { kind: "rejected", ...(note !== undefined && { note }) };
  return { kind: "rejected", note: "the question was open for too long, or used by another call; make the call again" };
}
