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
import { shortText } from "./short-text.ts";
import type { Terminal } from "./terminal.ts";
import { userName } from "./user-name.ts";

/** A call that a dry run did not make, as it is written for programs. */
export interface WireWithheld {
  readonly step: string;
  readonly tool: string;
  readonly effect: string;
  readonly args: unknown;
  /** Arguments that cannot be known before the run, as they are written. */
  readonly unknown?: Readonly<Record<string, unknown>>;
  /** Arguments that come from the world outside, and the steps from which they do. */
  readonly untrusted?: Readonly<Record<string, string>>;
  /** Whether the call is made cannot be known: it depends on this. */
  readonly only_if?: string;
  /** For how many items it is made cannot be known. */
  readonly for_each?: unknown;
}

/** What came of a dry run. */
export interface DryRun {
  readonly result: RunResult;
  /** What would have been sent, in order. */
  readonly withheld: readonly WireWithheld[];
  /** What of the output cannot be known before the run. */
  readonly unknownOutput: "all" | readonly string[];
}

/** Runs a chain for show: what only reads is really called, all else is written down. Nothing of it is kept. */
export async function dryRun(session: RunSession, { plan, input, context }: AskedRun): Promise<DryRun> {
  const { engine, chains, hub } = session.workspace;
  const { secrets, redactor } = engine;
  const inEarnest = engineExecutor({ begin: (...call) => engine.begin(...call), runId: "dry-run", secrets });
  const executor = dryRunExecutor({
    executor: asking(session, inEarnest),
    // As the call finds it: several tools of a name, or of a capability, are one.
    tool: (name) => hub.resolve(name)?.tool,
    secrets,
    redactor,
  });
  const env = session.workspace.env;
  const result = await followRun(session, { durable: false, ask: approveAll }, (how) =>
    runChain(executor.prepare(plan), { ...how, engine, chains, env, input, context, executor, runId: "dry-run" }),
  );
  return { result, withheld: executor.withheld.map(toWire), unknownOutput: executor.unknownOutput };
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

function toWire({ key, tool, effect, args, unknown, untrusted, onlyIf, forEach }: WithheldCall): WireWithheld {
  return {
    // The key is the path of the step and, behind `#`, the attempt.
    step: key.replace(/#\d+$/, "").replace(/#\d+\//g, "/"),
    tool,
    effect,
    args,
    ...(unknown !== undefined && { unknown }),
    ...(untrusted !== undefined && { untrusted }),
    ...(onlyIf !== undefined && { only_if: onlyIf }),
    ...(forEach !== undefined && { for_each: forEach }),
  };
}

/** Tells a person what was not done, and what nobody can know before it is. */
export function tellWithheld({ withheld, unknownOutput }: DryRun, { terminal }: Invocation): void {
  const isSure = (call: WireWithheld): boolean => call.unknown === undefined && !isUncertain(call);
  const sure = withheld.filter(isSure);
  const unsure = withheld.filter((call) => !isSure(call));
  if (sure.length > 0) {
    terminal.tell(`Dry run: ${formatCount(sure.length, "call")} would have been made, and none was:`);
    for (const call of sure) tellCall(call, terminal);
  } else if (unsure.length === 0) {
    terminal.tell("Dry run: nothing would have been changed.");
  } else {
    terminal.tell("Dry run:");
  }
  if (unsure.length > 0) {
    terminal.tell(`${formatCount(unsure.length, "call")} cannot be known before the run:`);
    for (const call of unsure) tellCall(call, terminal);
  }
  if (unknownOutput.length > 0) {
    const what = unknownOutput === "all" ? "The output" : `Of the output, ${unknownOutput.map(oneLine).join(", ")}`;
    terminal.tell(`${what} cannot be known before the run; null stands for it.`);
  }
}

function isUncertain({ only_if: condition, for_each: items }: WireWithheld): boolean {
  return condition !== undefined || items !== undefined;
}

function tellCall({ step, tool, effect, args, untrusted = {}, ...unsure }: WireWithheld, terminal: Terminal): void {
  const head = `${oneLine(step)}: ${terminal.tint("bold", oneLine(tool))} ${terminal.tint("dim", `(${effect})`)}`;
  terminal.tell(`  ${head} ${safeJson(args).replaceAll("\n", "\n    ")}`);
  for (const [name, written] of Object.entries(unsure.unknown ?? {})) {
    terminal.tell(`    ${oneLine(name)} will be ${shortText(written)}`);
  }
  for (const [name, from] of Object.entries(untrusted)) {
    terminal.tell(`    ${terminal.tint("yellow", `${oneLine(name)} is untrusted: it comes from ${oneLine(from)}`)}`);
  }
  if (unsure.for_each !== undefined) terminal.tell(`    for each of ${shortText(unsure.for_each)}`);
  if (unsure.only_if !== undefined) terminal.tell(`    only if ${shortText(unsure.only_if)}`);
}
