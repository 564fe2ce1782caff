import { mayDecideTarget } from "../../engine/index.ts";
import type { TargetKind } from "../../tool/index.ts";
import type { ChainReport } from "./chain-report.ts";
import { CalledChainSearch, type ReachedCall } from "./called-chain-search.ts";
import { changesPaths, targetEffect } from "./chain-effect.ts";
import { findUntrustedValues, untrustedTarget } from "./untrusted-target.ts";
import type { Plan, PlanStep } from "./plan.ts";
import { type PlannedCall, callsOfStep, writtenParams } from "./planned-calls.ts";
import type { MarkedPart } from "./value-flow.ts";
import type { DestructiveCall } from "./check-untrusted.ts";

/**
 * Warns of steps whose target, such as the path of a file, untrusted content may decide: their runs need approval there.
 * Also warns of an `untrusted` without effect.
 */
export function checkUntrustedTargets(plan: Plan, report: ChainReport): void {
  const steps = plan.steps.filter(
    (step) => step.wait === undefined && (step.spec.untrusted !== undefined || callsOfStep(step).some(mayHaveTargets)),
  );
  if (steps.length === 0) return;
  const values = findUntrustedValues(plan);
  const search = new CalledChainSearch(decidedTarget);
  for (const step of steps) {
    const calls = callsOfStep(step);
    checkConsent(step, calls, report);
    for (const call of calls) {
      if (call.isApproved || !mayHaveTargets(call)) continue;
      for (const part of values.partsOf(call.params, step)) {
        const decided = search.of(call, part, { plan, isStrict: false });
        if (decided !== undefined) warn(decided, { call, part, source: sourceOf(part, plan) }, report);
      }
    }
  }
}

function mayHaveTargets({ target }: PlannedCall): boolean {
  return target.tool === undefined ? target.chain !== undefined : target.tool.targets !== undefined;
}

function checkConsent({ spec, index }: PlanStep, calls: readonly PlannedCall[], report: ChainReport): void {
  // A tool that chooses among others, a chain or an unknown tool may have any targets.
  if (spec.untrusted === undefined || calls.some(({ target }) => target.tool?.composite !== false)) return;
  const kinds = new Set(calls.flatMap(({ target }) => Object.values(target.tool?.targets ?? {})));
  for (const kind of Object.keys(spec.untrusted)) {
    if (kinds.has(kind as TargetKind)) continue;
    const message = `"${spec.tool}" has no parameter that is a ${kind}, so this allows nothing`;
    report.add("unused_setting", ["steps", index, "untrusted", kind], [message, { part: "key", severity: "warning" }]);
  }
}

/** A target that untrusted content decides. */
interface DecidedTarget extends DestructiveCall {
  readonly kind: TargetKind;
}

function decidedTarget({ call, part, plan, chain }: ReachedCall): DecidedTarget | undefined {
  const { target, step, params } = call;
  const [name = ""] = part.reference.valuePath;
  const kind = target.tool?.targets?.[name];
  if (kind === undefined || step.spec.untrusted?.[kind] !== undefined) return undefined;
  const reads = ["pure", "read"].includes(targetEffect(target, params));
  const written = writtenParams(call, plan)[name];
  const isDecided = mayDecideTarget(kind, written, { reads, isDestructive: changesPaths(target, params) });
  return isDecided ? { kind, tool: target.name, step: step.id, chain } : undefined;
}

interface UntrustedPart {
  readonly call: PlannedCall;
  readonly part: MarkedPart;
  readonly source: PlanStep | undefined;
}

function warn(
  { kind, tool, step, chain }: DecidedTarget,
  { call, part: { reference }, source }: UntrustedPart,
  report: ChainReport,
): void {
  const from = source === undefined ? "" : ` from the step "${source.id}"${toolOf(source)}`;
  const where = chain === undefined ? "" : ` in the step "${step}" of the chain "${chain}"`;
  const message = `untrusted content${from} decides the ${kind} of "${tool}"${where}: a run needs approval ${chain === undefined ? "here" : "there"}`;
  const hint = `allow it with untrusted: { ${kind}: allow }${where}, or give ${chain === undefined ? "the" : "this"} step an approval with a message`;
  report.add(
    "untrusted_target",
    [...call.path, "params", ...reference.valuePath],
    [message, { hint, inside: [reference.at, reference.length], severity: "warning" }],
  );
}

function sourceOf({ origin }: MarkedPart, plan: Plan): PlanStep | undefined {
  return typeof origin === "number" ? plan.steps[origin] : undefined;
}

function toolOf(source: PlanStep): string {
  const tool = untrustedTarget(source)?.name;
  return tool === undefined ? "" : ` (${tool})`;
}
