import { formatPath } from "../../base/index.ts";
import type { YamlPath } from "../../text/index.ts";
import { calledPlan } from "./called-plan.ts";
import type { ChainReport } from "./chain-report.ts";
import { type Harm, HarmFinder } from "./find-harm.ts";
import { outsideTarget } from "./outside-target.ts";
import type { Plan, PlanStep } from "./plan.ts";
import type { Taint } from "./spec.ts";
import { type StepCall, callsOfStep } from "./step-calls.ts";
import { untrusted } from "./untrusted.ts";
import type { MarkedPart } from "./value-flow.ts";

/**
 * Refuses a chain under `taint: strict` in which something from outside reaches a call that may do harm, without a
 * person who sees it first; chains that it calls included. What a strict chain gets from one that is not is looked at,
 * too.
 */
export function checkUntrusted(plan: Plan, report: ChainReport, taint: Taint = plan.taint): void {
  if (taint !== "strict" && !plan.steps.some(callsChain)) return;
  new UntrustedCheck(plan, report, taint === "strict").check();
}

function callsChain({ target, onFailure }: PlanStep): boolean {
  return target.chain !== undefined || onFailure.fallback.some((entry) => entry.target.chain !== undefined);
}

class UntrustedCheck {
  readonly #plan: Plan;
  readonly #report: ChainReport;
  readonly #isStrict: boolean;
  readonly #finder = new HarmFinder();
  /** What the chain says about failures is a part of many steps, and is told about once. */
  readonly #told = new Set<string>();

  constructor(plan: Plan, report: ChainReport, isStrict: boolean) {
    this.#plan = plan;
    this.#report = report;
    this.#isStrict = isStrict;
  }

  check(): void {
    const values = untrusted(this.#plan);
    for (const step of this.#plan.steps) {
      for (const call of callsOfStep(step)) {
        if (this.#isStrict) this.#within(call);
        if (call.isAsked) continue;
        for (const part of values.partsOf(call.params, step)) {
          const harm = this.#finder.of(call, part, this.#isStrict);
          if (harm !== undefined) this.#refuse(call, part, harm);
        }
      }
    }
  }

  #refuse(call: StepCall, { reference, origin }: MarkedPart, harm: Harm): void {
    const source = typeof origin === "number" ? this.#plan.steps[origin] : undefined;
    if (source === undefined) return;
    const { at, length, valuePath } = reference;
    const message = `${doing(harm)}, and this comes from outside: from the ${placeOf(source)}`;
    const hint = `${askingHint(call, harm)}, or ${trustHint(source)}`;
    this.#add([...call.path, "params", ...valuePath], message, { hint, inside: [at, length] });
  }

  /** What a chain that is called does on its own, where it did not have to be strict when it was planned. */
  #within({ target, path }: StepCall): void {
    const called = calledPlan(target);
    const found = called === undefined ? undefined : this.#finder.within(called);
    if (found === undefined) return;
    const { harm, source } = found;
    const message = `${doing(harm)}, with what comes from outside: from the ${placeOf(source)}`;
    const hint = `give the step "${harm.step}" of "${harm.chain}" an approval, or ${trustHint(source)}`;
    this.#add([...path, "tool"], message, { hint });
  }

  #add(
    path: YamlPath,
    message: string,
    detail: { readonly hint: string; readonly inside?: readonly [number, number] },
  ): void {
    const place = formatPath(path);
    if (this.#told.has(place)) return;
    this.#told.add(place);
    this.#report.add("untrusted_input", path, [message, detail]);
  }
}

/** `"write_file" may do harm`, and where that is, if it is not right there. */
function doing({ tool, step, chain }: Harm): string {
  const where = chain === undefined ? "" : ` in the step "${step}" of the chain "${chain}"`;
  return `"${tool}" may do harm${where}`;
}

function placeOf(source: PlanStep): string {
  const tool = outsideTarget(source)?.name;
  return `step "${source.id}"${tool === undefined ? "" : ` (${tool})`}`;
}

function askingHint({ role }: StepCall, { step, chain }: Harm): string {
  if (role === "compensate") return "nobody is asked before a step is undone: undo it with what the chain was given";
  const inside = chain === undefined ? "" : ` or to the step "${step}" of "${chain}"`;
  return `add an approval to the step${inside}, so that a person sees what is sent`;
}

/** How whoever runs the workspace vouches for a source. */
function trustHint(source: PlanStep): string {
  const target = outsideTarget(source);
  const names = target?.among ?? [target?.tool?.name ?? target?.name ?? source.target.name];
  if (names.length === 0 || new Set(names).size < names.length) {
    return `call one of the tools that are called "${target?.name}" by its full name, and trust that`;
  }
  const shown = [...names.slice(0, 8), ...(names.length > 8 ? ["…"] : [])].join(", ");
  return `trust the source: chains: { trusted: [${shown}] } in windlass.yaml`;
}
