import { formatPath } from "../../base/index.ts";
import type { YamlPath } from "../../text/index.ts";
import { calledPlan, isDestructive } from "./chain-effect.ts";
import type { ChainReport } from "./chain-report.ts";
import { untrustedTarget, findUntrustedValues, untrustedSteps } from "./untrusted-target.ts";
import type { Plan, PlanStep } from "./plan.ts";
import type { TaintPolicy, ChainSpec } from "./chain-spec.ts";
import { type PlannedCall, callsOfStep } from "./planned-calls.ts";
import type { MarkedPart } from "./value-flow.ts";
import { CalledChainSearch, type ReachedCall, callsWithoutApproval } from "./called-chain-search.ts";

/**
 * Rejects a chain under `taint: strict` in which untrusted content reaches a destructive call without an approval,
 * including the chains that it calls. Inputs that a strict chain gets from a chain that is not strict are checked, too.
 */
export function checkUntrusted(plan: Plan, report: ChainReport, taint: TaintPolicy = plan.taint): void {
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
  readonly #finder = new DestructiveCallFinder();
  /** The chain's `error_handling` is part of many steps, and is reported once. */
  readonly #reported = new Set<string>();

  constructor(plan: Plan, report: ChainReport, isStrict: boolean) {
    this.#plan = plan;
    this.#report = report;
    this.#isStrict = isStrict;
  }

  check(): void {
    const values = findUntrustedValues(this.#plan);
    for (const step of this.#plan.steps) {
      for (const call of callsOfStep(step)) {
        if (this.#isStrict) this.#within(call);
        if (call.isApproved) continue;
        for (const part of values.partsOf(call.params, step)) {
          const harm = this.#finder.of(call, part, { plan: this.#plan, isStrict: this.#isStrict });
          if (harm !== undefined) this.#refuse(call, part, harm);
        }
      }
    }
  }

  #refuse(call: PlannedCall, { reference, origin }: MarkedPart, harm: DestructiveCall): void {
    const source = typeof origin === "number" ? this.#plan.steps[origin] : undefined;
    if (source === undefined) return;
    const { at, length, valuePath } = reference;
    const message = `${doing(harm)}, and this value is untrusted: it comes from the ${describeSource(source)}`;
    const hint = `${approvalHint(call, harm)}, or ${trustHint(source)}`;
    this.#add([...call.path, "params", ...valuePath], message, { hint, inside: [at, length] });
  }

  /** Checks the destructive calls inside of a called chain that was planned without `strict`. */
  #within({ target, path }: PlannedCall): void {
    const called = calledPlan(target);
    const found = called === undefined ? undefined : this.#finder.within(called);
    if (found === undefined) return;
    const { call, source } = found;
    const message = `${doing(call)}, and gets untrusted content from the ${describeSource(source)}`;
    const hint = `give the step "${call.step}" of "${call.chain}" an approval, or ${trustHint(source)}`;
    this.#add([...path, "tool"], message, { hint });
  }

  #add(
    path: YamlPath,
    message: string,
    detail: { readonly hint: string; readonly inside?: readonly [number, number] },
  ): void {
    const position = formatPath(path);
    if (this.#reported.has(position)) return;
    this.#reported.add(position);
    this.#report.add("untrusted_input", path, [message, detail]);
  }
}

/** `"write_file" may be destructive`, with the step and the chain if it is in another chain. */
function doing({ tool, step, chain }: DestructiveCall): string {
  const where = chain === undefined ? "" : ` in the step "${step}" of the chain "${chain}"`;
  return `"${tool}" may be destructive${where}`;
}

function describeSource(source: PlanStep): string {
  const tool = untrustedTarget(source)?.name;
  return `step "${source.id}"${tool === undefined ? "" : ` (${tool})`}`;
}

function approvalHint({ role }: PlannedCall, { step, chain }: DestructiveCall): string {
  if (role === "compensate")
    return "a compensation runs without an approval: use only inputs of the chain in its params";
  const inside = chain === undefined ? "" : ` or to the step "${step}" of "${chain}"`;
  return `add an approval to the step${inside}, so that a person sees the arguments`;
}

/** Suggests the workspace setting that trusts a source. */
function trustHint(source: PlanStep): string {
  const target = untrustedTarget(source);
  const names = target?.among ?? [target?.tool?.name ?? target?.name ?? source.target.name];
  if (names.length === 0 || new Set(names).size < names.length) {
    return `call one of the tools named "${target?.name}" by its full name, and trust that one`;
  }
  const shown = [...names.slice(0, 8), ...(names.length > 8 ? ["…"] : [])].join(", ");
  return `trust the source: chains: { trusted_tools: [${shown}] } in windlass.yaml`;
}

/** A destructive call. */
export interface DestructiveCall {
  readonly tool: string;
  readonly step: string;
  /** The chain that the step is in; undefined for the chain that is being checked. */
  readonly chain: string | undefined;
}

/** Untrusted content that reaches a destructive call within a chain. */
interface TaintedDestructiveCall {
  readonly call: DestructiveCall;
  /** The step of that chain that it comes from. */
  readonly source: PlanStep;
}

/** Finds destructive calls without an approval that untrusted values reach, also in the chains that are called. */
class DestructiveCallFinder {
  readonly #search = new CalledChainSearch(({ call: { target, params, step }, chain, isStrict }) =>
    isStrict && isDestructive(target, params) ? { tool: target.name, step: step.id, chain } : undefined,
  );
  // By the specs of the plans: a dry run creates a new plan whenever a chain is called.
  readonly #within = new Map<ChainSpec, TaintedDestructiveCall | "none">();

  /** The destructive call that a part of a call's parameters reaches, if any. */
  of(call: PlannedCall, part: MarkedPart, at: Pick<ReachedCall, "plan" | "isStrict">): DestructiveCall | undefined {
    return this.#search.of(call, part, at);
  }

  /** The first destructive call of a chain, or of a chain that it calls; strict chains have been checked already. */
  within(root: Plan): TaintedDestructiveCall | undefined {
    const before = this.#within.get(root.spec);
    if (before !== undefined) return before === "none" ? undefined : before;
    const plans = new Map([[root.spec, { plan: root, name: root.name }]]);
    for (const { plan, name } of plans.values()) {
      if (plan.taint === "strict") continue;
      const found = this.#directCalls(plan, name);
      if (found !== undefined) {
        this.#within.set(root.spec, found);
        return found;
      }
      for (const { target } of plan.steps.flatMap(callsOfStep)) {
        const called = calledPlan(target);
        if (called !== undefined && !plans.has(called.spec))
          plans.set(called.spec, { plan: called, name: target.name });
      }
    }
    // All chains that one of them calls are included.
    for (const spec of plans.keys()) this.#within.set(spec, "none");
    return undefined;
  }

  #directCalls(plan: Plan, name: string): TaintedDestructiveCall | undefined {
    const flow = this.#search.flowOf(plan);
    const values = flow.from(untrustedSteps(flow));
    for (const [call, part] of callsWithoutApproval(values)) {
      const harm = this.of(call, part, { plan, isStrict: true });
      const source = typeof part.origin === "number" ? plan.steps[part.origin] : undefined;
      if (harm !== undefined && source !== undefined) return { call: { ...harm, chain: harm.chain ?? name }, source };
    }
    return undefined;
  }
}
