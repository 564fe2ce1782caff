import type { Answer, Approver } from "../engine/index.ts";
import type { Approval, ApprovalRequest, ApprovalStore } from "../store/index.ts";
import { forgetTyped } from "./forget-typed.ts";
import { oneLine } from "./format-table.ts";
import { howDecided } from "./how-decided.ts";
import { readVerdict } from "./read-verdict.ts";
import { safeJson } from "./safe-json.ts";
import type { Terminal } from "./terminal.ts";

/** What {@link askAtTerminal} needs. */
export interface AskOptions {
  readonly terminal: Terminal;
  /** Where decisions are kept; asked for when the first question comes. */
  readonly approvals: () => ApprovalStore;
  /** Who sits at the terminal. */
  readonly by: string | undefined;
}

/**
 * Asks the person at the terminal. A decision that someone else made counts first, also one made while the question
 * was open. A "yes" is kept like every other approval, and is used up before the call runs; a "no" only ends this call,
 * so that a slip of the finger can be mended.
 */
export function askAtTerminal({ terminal, approvals, by }: AskOptions): Approver {
  return {
    async ask(request, signal) {
      const store = approvals();
      const earlier = await decidedBefore(store, request);
      if (earlier !== undefined) return earlier;
      if (!(await asksYes(terminal, request, signal))) return { kind: "rejected", note: "declined at the terminal" };
      const asked = await store.request(request);
      const now = Date.now();
      const decided = (await store.decide(asked.id, { approved: true, ...(by !== undefined && { by }) }, now)) ?? asked;
      const isMine = asked.status === "pending" && decided.status === "approved" && decided.decidedAt === now;
      if (!isMine) terminal.tell(`${decided.id} ${howDecided(decided)}`);
      if (decided.status === "approved" && (await store.consume(request.key, now))) return approved(store, request);
      return refusal(decided);
    },
  };
}

/** One that was used up for a call which then never started is given back. */
function approved(store: ApprovalStore, { key }: ApprovalRequest): Answer {
  return { kind: "approved", giveBack: () => store.restore(key) };
}

function refusal({ status, note }: Approval): Answer {
  if (status === "rejected") return { kind: "rejected", ...(note !== undefined && { note }) };
  const why = status === "expired" ? "the question was open for too long" : "the approval was used by another call";
  return { kind: "rejected", note: `${why}; make the call again` };
}

async function decidedBefore(store: ApprovalStore, request: ApprovalRequest): Promise<Answer | undefined> {
  const { key } = request;
  const now = Date.now();
  if (await store.consume(key, now)) return approved(store, request);
  const rejected = (await store.list(now, "rejected")).find(
    (approval) => approval.key === key && now < approval.expiresAt,
  );
  return rejected && refusal(rejected);
}

async function asksYes(terminal: Terminal, request: ApprovalRequest, signal: AbortSignal): Promise<boolean> {
  await forgetTyped();
  terminal.tell(`${terminal.tint("yellow", "?")} ${oneLine(request.message)}`);
  terminal.tell(`  ${terminal.tint("bold", oneLine(request.tool))} ${safeJson(request.args).replaceAll("\n", "\n  ")}`);
  const unclear = "That is no answer: y runs it, n or Enter alone does not.";
  return (await readVerdict({ terminal, prompt: "  Run it? [y/N] ", unclear }, signal)) === true;
}
