import { type RequestApproval, storedApprover } from "../../../engine/index.ts";
import { type CallRunner, engineRunner, wrapSink } from "../../../run/index.ts";
import { type RunResult, type WithheldCall, dryRunner, runChain } from "../../../chain/index.ts";
import { systemClock, definedOnly } from "../../../base/index.ts";
import { createInMemoryApprovals } from "../../../store/index.ts";
import { promptCallApproval } from "../../approvals/prompt-call-approval.ts";
import { formatCount } from "../../terminal/format-figures.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import type { Invocation } from "../../program/invocation.ts";
import { type LocalSession, followRun } from "../../open/run-session.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { shortText } from "../../terminal/short-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { userName } from "../../terminal/user-name.ts";
import type { RunRequest } from "./read-run.ts";

/** A call that a dry run did not make, in JSON output. */
export interface WireWithheld {
  readonly step: string;
  readonly tool: string;
  readonly effect: string;
  readonly args: unknown;
  /** Arguments that are unknown before the run, as written in the chain. */
  readonly unknown?: Readonly<Record<string, unknown>>;
  /** Untrusted arguments, with the steps that they come from. */
  readonly untrusted?: Readonly<Record<string, string>>;
  /** Condition that is unknown before the run: the call is only made if it holds. */
  readonly only_if?: string;
  /** Items that are unknown before the run: one call is made for each. */
  readonly for_each?: unknown;
}

/** Result of a dry run. */
export interface DryRun {
  readonly result: RunResult;
  /** The calls that would have been made, in order. */
  readonly withheld: readonly WireWithheld[];
  /** Parts of the output that are unknown before the run. */
  readonly unknownOutput: "all" | readonly string[];
}

/** Runs a chain without side effects: read-only tools are called, all other calls are listed. Nothing is persisted. */
export async function dryRun(session: LocalSession, { plan, input, context }: RunRequest): Promise<DryRun> {
  const { engine, chains, hub } = session.workspace;
  const { secrets, redactor } = engine;
  const inEarnest = engineRunner({ begin: (...call) => engine.begin(...call), secrets });
  const runner = dryRunner({
    runner: approverForDryRun(session, inEarnest),
    // Resolved as for a call: several tools of one name or capability count as one.
    tool: (name) => hub.resolve(name)?.tool,
    secrets,
    redactor,
  });
  const env = session.workspace.env;
  const result = await followRun(session, { durable: false, requestApproval: approveAll }, (how) =>
    runChain(runner.prepare(plan), { ...how, engine, chains, env, input, context, runner, runId: "dry-run" }),
  );
  return { result, withheld: runner.withheld.map(toWire), unknownOutput: runner.unknownOutput };
}

/** A dry run shows the steps behind an approval too; they have no effects in it. */
const approveAll: RequestApproval = () => Promise.resolve({ approved: true, by: "dry run" });

/** Read-only calls still need approval if a rule requires it. */
function approverForDryRun({ invocation }: LocalSession, runner: CallRunner): CallRunner {
  const { terminal } = invocation;
  const approver = terminal.interactive
    ? storedApprover(createInMemoryApprovals({}), systemClock, promptCallApproval(terminal, userName()))
    : {
        requestApproval: () =>
          Promise.resolve({ kind: "rejected" as const, note: "a dry run cannot wait for an approval" }),
      };
  return { begin: (call, sink) => runner.begin(call, wrapSink(sink, { approver })) };
}

function toWire({ key, tool, effect, args, unknown, untrusted, onlyIf, forEach }: WithheldCall): WireWithheld {
  return {
    // The key is the path of the step, followed by `#` and the attempt.
    step: key.replace(/#\d+$/, "").replace(/#\d+\//g, "/"),
    tool,
    effect,
    args,
    ...definedOnly({ unknown, untrusted, only_if: onlyIf, for_each: forEach }),
  };
}

/** Reports which calls were not made, and what is unknown before the run. */
export function reportWithheldCalls({ withheld, unknownOutput }: DryRun, { terminal }: Invocation): void {
  const isSure = (call: WireWithheld): boolean => call.unknown === undefined && !isUncertain(call);
  const sure = withheld.filter(isSure);
  const unsure = withheld.filter((call) => !isSure(call));
  if (sure.length > 0) {
    terminal.log(`Dry run: ${formatCount(sure.length, "call")} would have been made, none was:`);
    for (const call of sure) reportWithheldCall(call, terminal);
  } else if (unsure.length === 0) {
    terminal.log("Dry run: the run would change nothing.");
  } else {
    terminal.log("Dry run:");
  }
  if (unsure.length > 0) {
    terminal.log(`${formatCount(unsure.length, "call")} unknown before the run:`);
    for (const call of unsure) reportWithheldCall(call, terminal);
  }
  if (unknownOutput.length > 0) {
    const subject =
      unknownOutput === "all" ? "The output" : `Part of the output (${unknownOutput.map(toOneLine).join(", ")})`;
    terminal.log(`${subject} is unknown before the run and shown as null.`);
  }
}

function isUncertain({ only_if: condition, for_each: items }: WireWithheld): boolean {
  return condition !== undefined || items !== undefined;
}

function reportWithheldCall(
  { step, tool, effect, args, untrusted = {}, ...unsure }: WireWithheld,
  terminal: Terminal,
): void {
  const head = `${toOneLine(step)}: ${terminal.tint("bold", toOneLine(tool))} ${terminal.tint("dim", `(${effect})`)}`;
  terminal.log(`  ${head} ${safeJson(args).replaceAll("\n", "\n    ")}`);
  for (const [name, written] of Object.entries(unsure.unknown ?? {})) {
    terminal.log(`    ${toOneLine(name)} will be ${shortText(written)}`);
  }
  for (const [name, from] of Object.entries(untrusted)) {
    terminal.log(`    ${terminal.tint("yellow", `${toOneLine(name)} is untrusted: it comes from ${toOneLine(from)}`)}`);
  }
  if (unsure.for_each !== undefined) terminal.log(`    for each of ${shortText(unsure.for_each)}`);
  if (unsure.only_if !== undefined) terminal.log(`    only if ${shortText(unsure.only_if)}`);
}
