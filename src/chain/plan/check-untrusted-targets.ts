import { mayDecideTarget } from "../../engine/index.ts";
import type { TargetKind } from "../../tool/index.ts";
import type { ChainReport } from "./chain-report.ts";
import { changesPaths, targetEffect } from "./chain-effect.ts";
import { findUntrustedValues } from "./find-untrusted-values.ts";
import type { Plan, PlanStep } from "./plan.ts";
import { type PlannedCall, callsOfStep } from "./planned-calls.ts";
import { untrustedTarget } from "./untrusted-target.ts";
import type { MarkedPart } from "./value-flow.ts";
import { writtenParams } from "./written-params.ts";

/**
 * Warns of steps whose target, such as the path of a file, untrusted content may decide: their runs need approval there.
 * Also warns of an `untrusted` without effect.
 */
export function checkUntrustedTargets(plan: Plan, report: ChainReport): void {
  const steps = plan.steps.filter((step) => step.spec.untrusted !== undefined || callsOfStep(step).some(hasTargets));
  if (steps.length === 0) return;
  const values = findUntrustedValues(plan);
  const check = new TargetCheck(plan, report);
  for (const step of steps) {
    const calls = callsOfStep(step);
    checkConsent(step, calls, report);
    for (const call of calls) {
      if (call.isApproved || !hasTargets(call)) continue;
      for (const part of values.partsOf(call.params, step)) check.part(call, part);
    }
  }
}

function hasTargets({ target }: PlannedCall): boolean {
  return target.tool?.targets !== undefined;
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

class TargetCheck {
  readonly #plan: Plan;
  readonly #report: ChainReport;

  constructor(plan: Plan, report: ChainReport) {
    this.#plan = plan;
    this.#report = report;
  }

  part(call: PlannedCall, { reference, origin }: MarkedPart): void {
    const { target, step, params, path } = call;
    const [name = ""] = reference.valuePath;
    const kind = target.tool?.targets?.[name];
    if (kind === undefined || step.spec.untrusted?.[kind] !== undefined) return;
    const written = writtenParams(call, this.#plan)[name];
    const reads = ["pure", "read"].includes(targetEffect(target, params));
    if (!mayDecideTarget(kind, written, { reads, isDestructive: changesPaths(target, params) })) return;
    const source = typeof origin === "number" ? this.#plan.steps[origin] : undefined;
    const from = source === undefined ? "" : ` from the step "${source.id}"${toolOf(source)}`;
    const message = `untrusted content${from} decides the ${kind} of "${target.name}": a run needs approval here`;
    const hint = `allow it with untrusted: { ${kind}: allow }, or give the step an approval with a message`;
    this.#report.add(
      "untrusted_target",
      [...path, "params", ...reference.valuePath],
      [message, { hint, inside: [reference.at, reference.length], severity: "warning" }],
    );
  }
}

function toolOf(source: PlanStep): string {
  const tool = untrustedTarget(source)?.name;
  return tool === undefined ? "" : ` (${tool})`;
}
