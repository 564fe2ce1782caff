import { type Clock, fail, isFailureError, systemClock } from "../../base/index.ts";
import { type RequestApproval, resolveCallEffect } from "../../engine/index.ts";
import { openSecrets } from "../../expr/index.ts";
import { type Validation, validateDeclared } from "../../schema/index.ts";
import { createRedactor } from "../../secrets/index.ts";
import type { AnyTool, Effect, Secrets, ToolResult } from "../../tool/index.ts";
import {
  type CallEnd,
  type CallRequest,
  type CallRunner,
  type CallSink,
  type RunApprover,
  type RunningCall,
  wrapSink,
} from "../../run/index.ts";
import { type LogRedactor, logValue } from "../log/log-value.ts";
import type { Plan } from "../plan/plan.ts";
import { dryPlan } from "./dry-run-plan.ts";
import { stepPathOfKey } from "../interpreter/parse-step-key.ts";
import { stubFromSchema } from "./stub-from-schema.ts";
import { Unknowns } from "./unknown-values.ts";

/** A call that a dry run did not make, or a wait (`tool: "wait"`). */
export interface WithheldCall {
  /** Key of the call within the run; begins with the path of its step. */
  readonly key: string;
  readonly tool: string;
  readonly effect: Effect;
  /**
   * Arguments that would have been sent, with defaults filled in and secrets redacted; without those listed in
   * `unknown`.
   */
  readonly args: unknown;
  /** Arguments that depend on withheld calls: as written. */
  readonly unknown?: Readonly<Record<string, unknown>>;
  /** Untrusted arguments, such as `body.text`, with the paths of the steps that they come from. */
  readonly untrusted?: Readonly<Record<string, string>>;
  /** The condition that decides whether the call is made, if its value is unknown. */
  readonly onlyIf?: string;
  /** The list over which the call is made, as written, if its value is unknown. */
  readonly forEach?: unknown;
}

/** Options of a dry run. */
export interface DryRunOptions {
  /** Makes the calls that change nothing. */
  readonly runner: CallRunner;
  /** Finds a tool by the name that a step uses. */
  readonly tool: (name: string) => AnyTool | undefined;
  /** True if the engine would call this tool. */
  readonly isAvailable?: (tool: AnyTool) => boolean;
  readonly secrets?: Secrets;
  readonly redactor?: LogRedactor;
  readonly clock?: Clock;
}

/** Makes the calls of a dry run. */
export interface DryRunner extends CallRunner {
  /**
   * Returns the plan to run: its expressions do not fail because the result of a withheld call is missing. Steps that
   * need such a value are not called, regardless of their effect, but are listed in `withheld` with the known part of
   * their arguments.
   */
  prepare(plan: Plan): Plan;
  /** In the order in which they would have begun. */
  readonly withheld: readonly WithheldCall[];
  /** Part of the run's output that is unknown, and is null in it: keys, or all of it. */
  readonly unknownOutput: "all" | readonly string[];
  /** Answers the `approval` of steps, so that a dry run continues without requesting approvals. */
  readonly requestApproval: RequestApproval;
}

/**
 * Really calls `pure` and `read` tools, unless a rule requires approval. For all others it records what would be sent,
 * and answers with a stub made from the tool's output schema. Arguments are validated as in a real run. A step that
 * needs the result of a withheld call is not called either: made-up values are never sent.
 *
 * @example
 * ```ts
 * const runner = dryRunner({ runner: engineRunner({ begin }), tool: (name) => registry.get(name) });
 * await runChain(runner.prepare(plan), { engine, runner });
 * runner.withheld; // [{ key: "send#1", tool: "send_mail", effect: "once", args: { to: "a@example.com" } }]
 * ```
 */
export function dryRunner(options: DryRunOptions): DryRunner {
  const withheld: WithheldCall[] = [];
  const unknowns = new Unknowns();
  return {
    withheld,
    prepare: (plan) =>
      dryPlan(plan, unknowns, ({ key, path, kind, args }) => {
        const { redactor = createRedactor([]) } = options;
        const effect = kind === "event" ? "read" : "pure";
        withheld.push({ key, tool: "wait", effect, args: logValue(args, redactor) });
        if (kind === "event") unknowns.addOutput(path, "all");
      }),
    get unknownOutput() {
      return unknowns.unknownOf("");
    },
    requestApproval: () => Promise.resolve({ approved: true, by: "dry run" }),
    begin(call, sink) {
      const tool = options.tool(call.tool);
      // A tool that cannot run returns its failure, and changes nothing.
      if (tool === undefined || tool.broken !== undefined || options.isAvailable?.(tool) === false)
        return options.runner.begin(call, guarded(call, sink));
      const dryCall = new DryCall({ options, tool, withheld, call, sink, unknowns });
      dryCall.run();
      return dryCall;
    },
  };
}

function isHarmless(effect: unknown): boolean {
  return effect === "pure" || effect === "read";
}

/**
 * For the real call: a handler that would write is stopped immediately before it runs, regardless of earlier checks.
 */
function guarded({ tool }: CallRequest, sink: CallSink, changes?: Pick<CallSink, "approver" | "ended">): CallSink {
  return wrapSink(sink, {
    started: (effect) => (isHarmless(effect) ? sink.started(effect) : Promise.reject(refused(tool))),
    isNested: true,
    innerApprover: rejectAllApprover,
    ...changes,
  });
}

const rejectAllApprover: RunApprover = {
  requestApproval: () => Promise.resolve({ kind: "rejected", wasRequested: false, note: "this is a dry run" }),
};

function refused(tool: string): Error {
  return fail(`${tool} would change something, and this is a dry run`, { code: "not_available", retry: "never" });
}

interface DryCallDeps {
  readonly options: DryRunOptions;
  readonly tool: AnyTool;
  readonly withheld: WithheldCall[];
  readonly call: CallRequest;
  readonly sink: CallSink;
  readonly unknowns: Unknowns;
}

/** One call of a dry run: really made, or only recorded. */
class DryCall implements RunningCall {
  readonly #parts: DryCallDeps;
  #real: RunningCall | undefined;
  #stopped: "cancelled" | "timeout" | undefined;

  constructor(parts: DryCallDeps) {
    this.#parts = parts;
  }

  run(): void {
    const { tool, call, options } = this.#parts;
    const unsure = this.#unsure();
    if (unsure !== undefined) return this.#withhold(fixedEffect(tool), call.args, unsure);
    if (typeof tool.effect !== "function" && isHarmless(tool.effect)) return this.#inEarnest(tool.effect, call.args);
    let args: unknown;
    try {
      args = openSecrets({ value: call.args, secrets: call.secrets }, (name) => options.secrets?.get(name));
    } catch (error) {
      // A secret that is not set: the real call fails with that, and does nothing.
      if (isFailureError(error)) return this.#inEarnest("once", call.args);
      throw error;
    }
    const validation = validateDeclared(tool.input, args);
    if (validation instanceof Promise) void validation.then((settled) => this.#checked(settled));
    else this.#checked(validation);
  }

  stop(cause: "cancelled" | "timeout"): void {
    this.#stopped = cause;
    this.#real?.stop(cause);
  }

  detach(): void {
    this.stop("cancelled");
  }

  #checked(validation: Validation<unknown>): void {
    const { tool, call } = this.#parts;
    // The real call rejects them with the reason.
    if (validation.issues !== undefined) return this.#inEarnest("once", call.args);
    const effect = resolveCallEffect(tool, validation.value);
    const args = displayedArgs(call.args, validation.value);
    if (isHarmless(effect)) this.#inEarnest(effect, args);
    else this.#withhold(effect, args);
  }

  #inEarnest(effect: Effect, args: unknown): void {
    const { options, call, sink } = this.#parts;
    let approval = false;
    const approver: RunApprover = {
      requestApproval: () => {
        approval = true;
        return Promise.resolve({ kind: "pending", id: "" });
      },
    };
    const ended = (end: CallEnd): void => {
      const result = end.outcome.kind === "call" ? end.outcome.result : undefined;
      const needsApproval = approval && result?.success === false && result.error.code === "approval_required";
      if (needsApproval) this.#withhold(effect, args);
      else sink.ended(end);
    };
    // No step of a dry run requests its `approval:`, so its arguments would count as untrusted.
    const trusted = { ...call, tainted: false, untrusted: undefined };
    this.#real = options.runner.begin(trusted, guarded(call, sink, { approver, ended }));
    if (this.#stopped !== undefined) this.#real.stop(this.#stopped);
  }

  /** Unknown parts of the call; undefined if everything is known. */
  #unsure(): Unsure | undefined {
    const { call, unknowns } = this.#parts;
    const { unknown } = unknowns.noteOf(this.#path, call.args);
    const uncertain = unknowns.uncertainty(this.#path);
    return unknown === undefined && uncertain === undefined
      ? undefined
      : { ...uncertain, ...(unknown !== undefined && { unknown }) };
  }

  get #path(): string {
    return stepPathOfKey(this.#parts.call.key).replaceAll(/\[\d+\]/g, "");
  }

  #withhold(effect: Effect, args: unknown, unsure?: Unsure): void {
    const { tool, withheld, call, sink, options, unknowns } = this.#parts;
    const { redactor = createRedactor([]), clock = systemClock } = options;
    unknowns.addOutput(this.#path, "all");
    const { untrusted } = unknowns.noteOf(this.#path, call.args);
    const shown = { key: call.key, tool: call.tool, effect, args: logValue(args, redactor) };
    withheld.push({ ...shown, ...unsure, ...(untrusted !== undefined && { untrusted }) });
    const result: ToolResult = {
      success: true,
      tool: call.tool,
      output: tool.output === undefined ? { dry_run: true } : stubFromSchema(tool.output.json),
      durationMs: 0,
      executedAt: clock.now(),
      meta: { callId: "", source: "", attempts: 0, dryRun: true },
    };
    sink.ended({ outcome: { kind: "call", result, effect: undefined } });
  }
}

type Unsure = Pick<WithheldCall, "unknown" | "onlyIf" | "forEach">;

/** Effect of a tool whose arguments are unknown. */
function fixedEffect({ effect }: AnyTool): Effect {
  return typeof effect === "function" ? "once" : effect;
}

/** Arguments that the tool would get, with the caller's text for a secret in place of its value. */
function displayedArgs(rawInput: unknown, valid: unknown): unknown {
  if (typeof rawInput !== "object" || rawInput === null || typeof valid !== "object" || valid === null) return valid;
  return { ...valid, ...rawInput };
}
