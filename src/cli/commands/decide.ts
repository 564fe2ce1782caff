import type { Approval, ApprovalStore } from "../../store/index.ts";
import { suggest } from "../../text/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { formatCount } from "../format-figures.ts";
import { oneLine } from "../format-table.ts";
import { howDecided } from "../how-decided.ts";
import { type Invocation, commandLine } from "../invocation.ts";
import { withJournal } from "../open-journal.ts";
import { safeJson } from "../safe-json.ts";
import { UsageError } from "../usage-error.ts";
import { userName } from "../user-name.ts";
import { toWireApproval } from "../wire-record.ts";

/** `windlass approve`. */
export const approve: RunCommand = (invocation) => decide(invocation, true);

/** `windlass reject`. */
export const reject: RunCommand = (invocation) => decide(invocation, false);

function decide(invocation: Invocation, approved: boolean): Promise<ExitCode> {
  return withJournal(async ({ store }) => {
    const [id = ""] = invocation.words;
    const now = Date.now();
    const before = await store?.approvals.get(id, now);
    if (store === undefined || before === undefined) throw await unknownId(id, store?.approvals, invocation);
    const note = invocation.text("note");
    const by = invocation.text("by") ?? userName();
    const after = await store.approvals.decide(
      id,
      { approved, ...(by !== undefined && { by }), ...(note !== undefined && { note }) },
      now,
    );
    return tell(invocation, {
      approval: after ?? before,
      mine: before.status === "pending" && after?.decidedAt === now,
      approved,
    });
  });
}

interface Outcome {
  readonly approval: Approval;
  /** Was it this decision that counted? */
  readonly mine: boolean;
  readonly approved: boolean;
}

function tell(invocation: Invocation, { approval, mine, approved }: Outcome): ExitCode {
  const { terminal } = invocation;
  const wanted = approved ? "approved" : "rejected";
  const code = mine || approval.status === wanted ? exitCodes.ok : exitCodes.failed;
  if (invocation.flag("json")) {
    terminal.print(safeJson(toWireApproval(approval)));
  } else if (mine) {
    const done = terminal.paint(approved ? "green" : "red", approved ? "Approved" : "Rejected");
    terminal.print(`${done}: ${oneLine(approval.tool)} ${oneLine(JSON.stringify(approval.args) ?? "")}`);
  }
  if (!mine) terminal.tell(`${approval.id} ${howDecided(approval)}`);
  else if (approved) terminal.tell(terminal.tint("dim", "The same call, made again, now runs once."));
  return code;
}

async function unknownId(
  id: string,
  approvals: ApprovalStore | undefined,
  invocation: Invocation,
): Promise<UsageError> {
  const known = (await approvals?.list(Date.now(), "pending")) ?? [];
  const near = suggest(
    id,
    known.map((approval) => approval.id),
  );
  const [first] = known;
  const hint =
    near !== undefined
      ? `did you mean ${near}?`
      : first === undefined
        ? "nothing waits for a decision here"
        : `${formatCount(known.length, "call")} waiting: ${commandLine(invocation, "approvals")}`;
  return new UsageError(`there is no approval ${JSON.stringify(id)}`, hint);
}
