import {
  type AskPerson,
  type RunResult,
  type StepExecutor,
  type WithheldCall,
  dryRunExecutor,
  engineExecutor,
  runChain,
} from "../chain/index.ts";
import { createMemoryApprovals } from "../store/index.ts";
import { askAtTerminal } from "./ask-at-terminal.ts";
import { formatCount } from "./format-figures.ts";
import { oneLine } from "./format-table.ts";
import type { Invocation } from "./invocation.ts";
import type { AskedRun } from "./read-run.ts";
import { type RunSession, followRun } from "./run-session.ts";
import { safeJson } from "./safe-json.ts";
import { userName } from "./user-name.ts";

/** A call that a dry run did not make, as it is written for programs. */
export interface WireWithheld {
  readonly step: string;
  readonly tool: string;
  readonly effect: string;
  readonly args: unknown;
}

/** What came of a dry run. */
export interface DryRun {
  readonly result: RunResult;
  /** What would have been sent, in order. */
  readonly withheld: readonly WireWithheld[];
}

/** Runs a chain for show: what only reads is really called, all else is written down. Nothing of it is kept. */
export async function dryRun(session: RunSession, { plan, input, context }: AskedRun): Promise<DryRun> {
  const { engine, chains } = session.workspace;
  const { secrets, redactor } = engine;
  const inEarnest = engineExecutor({ begin: (...call) => engine.begin(...call), runId: "dry-run", secrets });
  const executor = dryRunExecutor({
    executor: asking(session, inEarnest),
    tool: (name) => engine.tools.get(name),
    secrets,
    redactor,
  });
  const env = session.workspace.env;
  const result = await followRun(session, { durable: false, ask: approveAll }, (how) =>
    runChain(plan, { ...how, engine, chains, env, input, context, executor, runId: "dry-run" }),
  );
  return { result, withheld: executor.withheld.map(toWire) };
}

/** The steps behind an approval are what a dry run is to show; nothing that matters happens in them. */
const approveAll: AskPerson = () => Promise.resolve({ approved: true, by: "dry run" });

/** What is really called is asked for as ever, where a rule says so. */
function asking({ invocation }: RunSession, executor: StepExecutor): StepExecutor {
  const { terminal } = invocation;
  const store = createMemoryApprovals({});
  const approver = terminal.interactive
    ? askAtTerminal({ terminal, approvals: () => store, by: userName() })
    : { ask: () => Promise.resolve({ kind: "rejected" as const, note: "a dry run cannot wait for an approval" }) };
  return {
    begin: (key, work, hooks) =>
      executor.begin(key, work, {
        approver,
        started: (effect) => hooks.started(effect),
        record: (record) => hooks.record(record),
        progress: (value) => hooks.progress(value),
      }),
  };
}

function toWire({ key, tool, effect, args }: WithheldCall): WireWithheld {
  // The key is the path of the step and, behind `#`, the attempt.
  return { step: key.replace(/#\d+$/, "").replace(/#\d+\//g, "/"), tool, effect, args };
}

/** Tells a person what was not done. */
export function tellWithheld(withheld: readonly WireWithheld[], { terminal }: Invocation): void {
  if (withheld.length === 0) {
    terminal.tell("Dry run: nothing would have been changed.");
    return;
  }
  terminal.tell(`Dry run: ${formatCount(withheld.length, "call")} would have been made, and none was:`);
  for (const { step, tool, effect, args } of withheld) {
    const head = `${oneLine(step)}: ${terminal.tint("bold", oneLine(tool))} ${terminal.tint("dim", `(${effect})`)}`;
    terminal.tell(`  ${head} ${safeJson(args).replaceAll("\n", "\n    ")}`);
  }
}
