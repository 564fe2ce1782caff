import { type Clock, fail, isFailureError, systemClock } from "../../base/index.ts";
import { type Approver, effectOf } from "../../engine/index.ts";
import { openSecrets } from "../../expr/index.ts";
import { type Validation, isMap } from "../../schema/index.ts";
import { createRedactor } from "../../text/index.ts";
import type { AnyTool, Effect, Secrets, ToolResult } from "../../tool/index.ts";
import type { RunningCall, StepExecutor, StepHooks } from "../host/executor.ts";
import type { StepWork } from "../host/host.ts";
import type { AskPerson } from "../host/run-approvals.ts";
import { type LogRedactor, logValue } from "../log/log-value.ts";
import type { Plan } from "../plan/plan.ts";
import { dryPlan } from "./dry-plan.ts";
import { stepOfKey } from "../run/step-of-key.ts";
import { stubFromSchema } from "./stub-from-schema.ts";
import { Unknowns } from "./unknowns.ts";

/** A call that a dry run did not make. */
export interface WithheldCall {
  /** Of the call within the run; begins with the path of its step. */
  readonly key: string;
  readonly tool: string;
  readonly effect: Effect;
  /** What would have been sent, defaults filled in, secrets redacted; without what is in `unknown`. */
  readonly args: unknown;
  /** Arguments that need what only calls could give that were not made: as they are written. */
  readonly unknown?: Readonly<Record<string, unknown>>;
  /** Arguments that come from the world outside, `body.text`, and the paths of the steps from which they do. */
  readonly untrusted?: Readonly<Record<string, string>>;
  /** The condition on which it depends whether the call is made, where that cannot be known. */
  readonly onlyIf?: string;
  /** The list for whose items it is made, as it is written, where that cannot be known. */
  readonly forEach?: unknown;
}

/** What a dry run needs. */
export interface DryRunOptions {
  /** Makes the calls that change nothing. */
  readonly executor: StepExecutor;
  /** Finds a tool by the name a step calls it. */
  readonly tool: (name: string) => AnyTool | undefined;
  /** Would the engine call this tool at all? */
  readonly isAvailable?: (tool: AnyTool) => boolean;
  readonly secrets?: Secrets;
  readonly redactor?: LogRedactor;
  readonly clock?: Clock;
}

/** Makes the calls of a dry run. */
export interface DryRunExecutor extends StepExecutor {
  /**
   * The plan to run: one whose expressions do not fail for want of what a withheld call would give. Steps that need such
   * a value are not called, whatever their effect is, but are among `withheld` with what is known of their arguments.
   */
  prepare(plan: Plan): Plan;
  /** In the order in which they would have begun. */
  readonly withheld: readonly WithheldCall[];
  /** What of the output of the run cannot be known, and is null in it: keys, or all of it. */
  readonly unknownOutput: "all" | readonly string[];
  /** Answers the `approval` of steps, so that a dry run asks nobody and goes on. */
  readonly ask: AskPerson;
}

/**
 * Really calls `pure` and `read` tools, unless a rule wants a person to be asked; of all others it writes down what
 * would be sent, and answers with a stub made from the tool's output schema. Arguments are checked as in earnest. What
 * needs the results of calls that were not made is not called either: nobody is sent made-up values.
 *
 * @example
 * ```ts
 * const executor = dryRunExecutor({ executor: engineExecutor({ begin, runId }), tool: (name) => registry.get(name) });
 * await runChain(executor.prepare(plan), { engine, executor });
 * executor.withheld; // [{ key: "send#1", tool: "send_mail", effect: "once", args: { to: "a@example.com" } }]
 * ```
 */
export function dryRunExecutor(options: DryRunOptions): DryRunExecutor {
  const withheld: WithheldCall[] = [];
  const unknowns = new Unknowns();
  return {
    withheld,
    prepare: (plan) => dryPlan(plan, unknowns),
    get unknownOutput() {
      return unknowns.unknownOf("");
    },
    ask: () => Promise.resolve({ approved: true, by: "dry run" }),
    begin(key, work, hooks) {
      const tool = options.tool(work.tool);
      // What cannot run answers why, and changes nothing.
      if (tool === undefined || tool.broken !== undefined || options.isAvailable?.(tool) === false)
        return options.executor.begin(key, work, guarded(work, hooks));
      return new DryCall({ options, tool, withheld, key, work, hooks, unknowns });
    },
  };
}

function isHarmless(effect: unknown): boolean {
  return effect === "pure" || effect === "read";
}

/** For the real call: a handler that would write is stopped at the last door, whatever was thought before. */
function guarded(work: StepWork, hooks: StepHooks, approver: Approver | undefined = hooks.approver): StepHooks {
  return {
    approver,
    innerApprover: askingNobody,
    record: (record) => hooks.record(record),
    progress: (value) => hooks.progress(value),
    started: (effect) => (isHarmless(effect) ? hooks.started(effect) : Promise.reject(refused(work.tool))),
  };
}

const askingNobody: Approver = {
  ask: () => Promise.resolve({ kind: "rejected", asked: false, note: "this is a dry run" }),
};

function refused(tool: string): Error {
  return fail(`${tool} would change something, and this is a dry run`, { code: "not_available", retry: "never" });
}

interface DryCallParts {
  readonly options: DryRunOptions;
  readonly tool: AnyTool;
  readonly withheld: WithheldCall[];
  readonly key: string;
  readonly work: StepWork;
  readonly hooks: StepHooks;
  readonly unknowns: Unknowns;
}

/** One call of a dry run: made in earnest, or only written down. */
class DryCall implements RunningCall {
  readonly #parts: DryCallParts;
  #real: RunningCall | undefined;
  #aborted: "cancelled" | "timeout" | undefined;

  constructor(parts: DryCallParts) {
    this.#parts = parts;
  }

  run(): ToolResult | Promise<ToolResult> {
    const { tool, work, options } = this.#parts;
    const unsure = this.#unsure();
    if (unsure !== undefined) return this.#withhold(fixedEffect(tool), work.args, unsure);
    if (typeof tool.effect !== "function" && isHarmless(tool.effect)) return this.#inEarnest(tool.effect, work.args);
    let args: unknown;
    try {
      args = openSecrets(work.args, (name) => options.secrets?.get(name));
    } catch (error) {
      // A secret that is not set: the real call says so, and goes no further.
      if (isFailureError(error)) return this.#inEarnest("once", work.args);
      throw error;
    }
    const validation = tool.input.validate(args);
    return validation instanceof Promise
      ? validation.then((settled) => this.#checked(settled))
      : this.#checked(validation);
  }

  abort(cause: "cancelled" | "timeout"): void {
    this.#aborted = cause;
    this.#real?.abort(cause);
  }

  #checked(validation: Validation<unknown>): ToolResult | Promise<ToolResult> {
    const { tool, work } = this.#parts;
    // The real call refuses them, and says why.
    if (validation.issues !== undefined) return this.#inEarnest("once", work.args);
    const effect = safeEffect(tool, validation.value);
    const args = shownArgs(work.args, validation.value);
    return isHarmless(effect) ? this.#inEarnest(effect, args) : this.#withhold(effect, args);
  }

  #inEarnest(effect: Effect, args: unknown): ToolResult | Promise<ToolResult> {
    const { options, key, work, hooks } = this.#parts;
    let asked = false;
    const approver: Approver = {
      ask: () => {
        asked = true;
        return Promise.resolve({ kind: "parked", id: "" });
      },
    };
    this.#real = options.executor.begin(key, work, guarded(work, hooks, approver));
    if (this.#aborted !== undefined) this.#real.abort(this.#aborted);
    const made = (result: ToolResult): ToolResult => {
      const needsApproval = asked && !result.success && result.error.code === "approval_required";
      return needsApproval ? this.#withhold(effect, args) : result;
    };
    const result = this.#real.run();
    return result instanceof Promise ? result.then(made) : made(result);
  }

  /** What about the call cannot be known; undefined where all of it can. */
  #unsure(): Unsure | undefined {
    const { work, unknowns } = this.#parts;
    const { args } = work;
    const unknown = typeof args === "object" && args !== null ? unknowns.arguments.get(args) : undefined;
    const uncertain = unknowns.uncertainty(this.#path);
    return unknown === undefined && uncertain === undefined
      ? undefined
      : { ...uncertain, ...(unknown !== undefined && { unknown }) };
  }

  get #path(): string {
    return stepOfKey(this.#parts.key).replaceAll(/\[\d+\]/g, "");
  }

  #withhold(effect: Effect, args: unknown, unsure?: Unsure): ToolResult {
    const { tool, withheld, key, work, options, unknowns } = this.#parts;
    const { redactor = createRedactor([]), clock = systemClock } = options;
    unknowns.addOutput(this.#path, "all");
    const untrusted = isMap(work.args) ? unknowns.untrusted.get(work.args) : undefined;
    const shown = { key, tool: work.tool, effect, args: logValue(args, redactor) };
    withheld.push({ ...shown, ...unsure, ...(untrusted !== undefined && { untrusted }) });
    return {
      success: true,
      tool: work.tool,
      output: tool.output === undefined ? { dry_run: true } : stubFromSchema(tool.output.json),
      durationMs: 0,
      executedAt: clock.now(),
      meta: { callId: "", source: "", attempts: 0, dryRun: true },
    };
  }
}

type Unsure = Pick<WithheldCall, "unknown" | "onlyIf" | "forEach">;

/** Of a tool whose arguments are not known. */
function fixedEffect({ effect }: AnyTool): Effect {
  return typeof effect === "function" ? "once" : effect;
}

/** A function of somebody else's may throw; what is not known counts as `once`. */
function safeEffect(tool: AnyTool, args: unknown): Effect {
  try {
    return effectOf(tool, args);
  } catch {
    return "once";
  }
}

/** What the tool would get, with what the caller wrote for a secret in place of its value. */
function shownArgs(given: unknown, valid: unknown): unknown {
  if (typeof given !== "object" || given === null || typeof valid !== "object" || valid === null) return valid;
  return { ...valid, ...given };
}
