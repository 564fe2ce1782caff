import type { ApprovalAnswer, Approver } from "../../engine/index.ts";
import type { Approval, ApprovalRequest, ApprovalStore } from "../../store/index.ts";
import { toOneLine } from "../terminal/format-table.ts";
import { describeDecision } from "./list-open-approvals.ts";
import { promptYesNo } from "../terminal/prompt-yes-no.ts";
import { safeJson } from "../terminal/safe-json.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Options of {@link terminalApprover}. */
export interface TerminalApproverOptions {
  readonly terminal: Terminal;
  /** Opens the store of decisions; called at the first approval. */
  readonly approvals: () => ApprovalStore;
  /** Name of the user at the terminal. */
  readonly by: string | undefined;
}

/**
 * Prompts the person at the terminal for approval. An earlier decision takes precedence, also one that was made
 * elsewhere while the prompt was open. A "yes" is persisted like any other approval and consumed before the call runs;
 * a "no" only rejects this call, so that a typing error can be corrected.
 */
export function terminalApprover({ terminal, approvals, by }: TerminalApproverOptions): Approver {
  return {
    async requestApproval(request, signal) {
      const store = approvals();
      const earlier = await decidedBefore(store, request);
      if (earlier !== undefined) return earlier;
      if (!(await promptForYes(terminal, request, signal)))
        return { kind: "rejected", note: "rejected at the terminal" };
      const requested = await store.request(request);
      const now = Date.now();
      const decided =
        (await store.decide(requested.id, { approved: true, ...(by !== undefined && { by }) }, now)) ?? requested;
      const isMine = requested.status === "pending" && decided.status === "approved" && decided.decidedAt === now;
      if (!isMine) terminal.log(`${decided.id} ${describeDecision(decided)}`);
      if (decided.status === "approved" && (await store.consume(request.key, now))) return approved(store, request);
      return refusal(decided);
    },
  };
}

/** An approval consumed by a call that then never started is restored. */
function approved(store: ApprovalStore, { key }: ApprovalRequest): ApprovalAnswer {
  return { kind: "approved", restore: () => store.restore(key) };
}

function refusal({ status, note }: Approval): ApprovalAnswer {
  if (status === "rejected") return { kind: "rejected", ...(note !== undefined && { note }) };
  const why = status === "expired" ? "the approval expired" : "the approval was used by another call";
  return { kind: "rejected", note: `${why}; repeat the call to request a new approval` };
}

async function decidedBefore(store: ApprovalStore, request: ApprovalRequest): Promise<ApprovalAnswer | undefined> {
  const { key } = request;
  const now = Date.now();
  if (await store.consume(key, now)) return approved(store, request);
  const rejected = (await store.list(now, "rejected")).find(
    (approval) => approval.key === key && now < approval.expiresAt,
  );
  return rejected && refusal(rejected);
}

async function promptForYes(terminal: Terminal, request: ApprovalRequest, signal: AbortSignal): Promise<boolean> {
  terminal.log(`${terminal.tint("yellow", "?")} ${toOneLine(request.message)}`);
  terminal.log(
    `  ${terminal.tint("bold", toOneLine(request.tool))} ${safeJson(request.args).replaceAll("\n", "\n  ")}`,
  );
  const unclear = "Type y to run it; n or Enter does not run it.";
  return (await promptYesNo({ terminal, prompt: "  Run it? [y/N] ", unclear }, signal)) === true;
}
