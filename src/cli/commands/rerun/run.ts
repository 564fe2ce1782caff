import type { RunCommand } from "../../program/command-spec.ts";
import { type RunSession, checkLocal, followRun, noticesOf, withRuns } from "../../open/run-session.ts";
import { reportRunResult } from "../../open/report-run-result.ts";
import { commandsFor, requireRun } from "../../run-kinds/run-kind.ts";
import { UsageError } from "../../program/usage-error.ts";
import { type RerunPreview, type RerunStep, repeatedOnceSteps } from "../../../chain/index.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { type Invocation, commandLine, shellWord } from "../../program/invocation.ts";
import { promptYesNo } from "../../terminal/prompt-yes-no.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `windlass rerun`. */
export const rerunChain: RunCommand = (invocation) => {
  const from = invocation.text("from");
  if (from === undefined && invocation.flag("yes")) throw new UsageError("--yes requires --from STEP");
  return withRuns(invocation, async (session) => {
    const [id = ""] = invocation.words;
    const { runs } = session.workspace;
    checkLocal(session);
    await checkRepeatable(session, id);
    const onNotice = noticesOf(invocation);
    if (from !== undefined) {
      const preview = await runs.previewRerun(id, from, { onNotice });
      await confirmRerun(preview, { runId: id, from, invocation, signal: session.interrupts.signal });
    }
    const result = await followRun(session, { durable: true }, (how) =>
      runs.rerun(id, { ...how, onNotice, ...(from !== undefined && { from }) }),
    );
    return reportRunResult(result, session, { durable: true });
  });
};

/** Throws if another command repeats runs of this kind. */
async function checkRepeatable({ workspace, invocation }: RunSession, id: string): Promise<void> {
  const run = await requireRun(workspace, { id, invocation });
  const words = (await commandsFor(run)).repeat?.(run, workspace);
  if (words === undefined) return;
  const command = commandLine(invocation, ...words.map(shellWord));
  throw new UsageError(`run ${id} is not of a chain, and has no steps to reuse`, `repeat it with: ${command}`);
}

/**
 * Lists which results are reused, and which other steps will run again. If one of those has effect `once` and may have
 * run already, prompts for confirmation; throws without one.
 */
async function confirmRerun(
  preview: RerunPreview,
  request: {
    readonly runId: string;
    readonly from: string;
    readonly invocation: Invocation;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { invocation, from } = request;
  const { terminal } = invocation;
  const others = preview.rerun.filter(({ below }) => !below);
  const cached = preview.reused.length === 0 ? "nothing" : preview.reused.map(toOneLine).join(", ");
  terminal.log(`reused: ${cached}`);
  if (others.length > 0) {
    terminal.log(`${terminal.tint("yellow", "also run again")}, although independent of ${toOneLine(from)}:`);
    for (const step of others) terminal.log(`  ${lineOf(step, terminal)}`);
  }
  const risky = repeatedOnceSteps(preview);
  if (risky.length === 0 || invocation.flag("yes")) return;
  const names = risky.map(({ step }) => toOneLine(step)).join(", ");
  const which = `${names} ${risky.length === 1 ? "has" : "have"} the effect once and would run again`;
  if (terminal.interactive) {
    terminal.log(`${terminal.tint("yellow", "?")} ${which}`);
    const prompt = { terminal, prompt: "  Run again? [y/N] ", unclear: "Type y or n." };
    if ((await promptYesNo(prompt, request.signal)) === true) return;
    throw new UsageError(`nothing was run: ${which}`);
  }
  const again = commandLine(invocation, "rerun", request.runId, "--from", shellWord(from), "--yes");
  throw new UsageError(`${which}; nothing was run`, `to run anyway: ${again}`);
}

function lineOf(step: RerunStep, terminal: Terminal): string {
  const head = `${toOneLine(step.step)}: ${terminal.tint("bold", toOneLine(step.tool))}`;
  return `${head} ${terminal.tint("dim", `(${step.effect})`)}, ${whyOf(step)}`;
}

function whyOf({ why, before, called, needs }: RerunStep): string {
  switch (why) {
    case "new":
      return "not in the chain of that run";
    case "changed":
      return "changed since that run";
    case "input":
      return "reads an input that has changed";
    case "unsettled":
      return called ? `did not succeed (${before ?? "?"})` : "not reached in that run";
    case "undone":
      return "compensated in that run";
    case "needs":
      return `needs ${toOneLine(needs ?? "?")}, which runs again`;
    case "requested":
      return "requested";
    default:
      return why satisfies never;
  }
}
