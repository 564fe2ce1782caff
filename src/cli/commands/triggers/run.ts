import { toWireTrigger } from "../../../app/index.ts";
import { isFailureError } from "../../../base/index.ts";
import { parseArguments } from "../../../schema/index.ts";
import { type TriggerInfo, unknownTrigger } from "../../../trigger/index.ts";
import { openHere } from "../../open/open-here.ts";
import { reportRunResult } from "../../open/report-run-result.ts";
import { followRun, withLocalRuns } from "../../open/run-session.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { rejectSubcommandWord } from "../../program/reject-subcommand-word.ts";
import { reportFormattedError } from "../../program/report-error.ts";
import { UsageError } from "../../program/usage-error.ts";
import { formatTime } from "../../terminal/format-figures.ts";
import { type StyledColumn, tableFor, toOneLine } from "../../terminal/format-table.ts";
import { logWrapped } from "../../terminal/log-wrapped.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import type { Style } from "../../terminal/terminal.ts";

/** `windlass triggers list`. */
export const listTriggers: RunCommand = async (invocation) => {
  rejectSubcommandWord(invocation, {
    of: "triggers",
    names: ["list", "fire", "pause", "resume", "approve"],
    hints: () => [`list the triggers with: ${commandLine(invocation, "triggers")}`],
  });
  const { terminal } = invocation;
  const { workspace, close } = await openHere(terminal, { store: "read-only" });
  try {
    const triggers = await workspace.triggers.list();
    if (invocation.flag("json")) return terminal.print(safeJson(triggers.map(toWireTrigger)));
    if (triggers.length === 0)
      return terminal.log('No triggers yet. Add one to a chain: on: [{ schedule: "0 8 * * *" }]');
    for (const line of triggerLines(triggers, invocation)) terminal.print(line);
    for (const { id, message } of triggers)
      if (message !== undefined) logWrapped(`${toOneLine(id)}: ${toOneLine(message)}`, terminal, { style: "dim" });
  } finally {
    await close();
  }
};

const styles: Readonly<Record<TriggerInfo["status"], Style>> = {
  active: "green",
  paused: "dim",
  unapproved: "yellow",
  untrusted: "yellow",
  invalid: "red",
};

function triggerLines(triggers: readonly TriggerInfo[], { terminal }: Invocation): string[] {
  const rows = triggers.map(({ id, status, kind, expression, timezone, last, next, waiting }) => [
    toOneLine(id),
    status,
    last === undefined ? "never" : formatTime(last.at),
    next === undefined ? (waiting > 0 ? `${waiting} waiting` : "-") : formatTime(next),
    `${kind} ${toOneLine(expression)}${timezone === undefined ? "" : ` (${toOneLine(timezone)})`}`,
  ]);
  const columns: StyledColumn[] = [
    { title: "ID", style: "bold" },
    { title: "STATUS", style: (_cell, row) => styles[triggers[row]?.status ?? "invalid"] },
    "LAST",
    "NEXT",
    { title: "FIRES", long: "cut" },
  ];
  return tableFor(terminal, columns, rows);
}

/** `windlass triggers fire`. */
export const fireTrigger: RunCommand = (invocation) =>
  withLocalRuns(invocation, async (session) => {
    const { workspace } = session;
    const [id = ""] = invocation.words;
    const event = eventIn(invocation);
    const fired = await asUsage(invocation, workspace.triggers.fire(id, event === undefined ? {} : { event }));
    const { runId, status, reason = "it did not start" } = fired;
    if (status === "failed") {
      reportFormattedError(invocation.terminal, {
        message: `${id} started no run: ${reason}`,
        code: "execution_error",
      });
      return exitCodes.failed;
    }
    const result = await followRun(session, { durable: true }, (how) => workspace.runs.join(runId, how));
    return reportRunResult(result, session, { durable: true });
  });

function eventIn(invocation: Invocation): Readonly<Record<string, unknown>> | undefined {
  const text = invocation.text("event");
  if (text === undefined) return undefined;
  const parsed = parseArguments(text);
  if (parsed.issues === undefined) return parsed.value;
  throw new UsageError("--event: this is not a JSON object", 'write it such as --event \'{"body": {"order": 7}}\'');
}

/** An unknown id is a mistake in the command line. */
async function asUsage<T>(invocation: Invocation, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isFailureError(error) || error.reason !== unknownTrigger) throw error;
    throw new UsageError(error.message, `list them with: ${commandLine(invocation, "triggers")}`);
  }
}

type Change = "pause" | "resume" | "approve";

const done: Readonly<Record<Change, string>> = { pause: "paused", resume: "resumed", approve: "approved" };

/** `windlass triggers pause`, `resume` and `approve`. */
export const changeTrigger =
  (change: Change): RunCommand =>
  async (invocation) => {
    const { terminal } = invocation;
    const [id = ""] = invocation.words;
    const { workspace, close } = await openHere(terminal, { store: "sqlite" });
    try {
      await asUsage(invocation, workspace.triggers[change](id));
      const changed = (await workspace.triggers.list()).find((trigger) => trigger.id === id);
      if (invocation.flag("json"))
        return terminal.print(safeJson(changed === undefined ? null : toWireTrigger(changed)));
      terminal.print(`${done[change]}: ${toOneLine(id)}`);
    } finally {
      await close();
    }
  };
