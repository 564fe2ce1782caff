import { type Failure, failure, raceAbortOrUndefined, definedOnly, orElse } from "../../base/index.ts";
import { type CallHandle, internals, propagateFailure } from "../../engine/index.ts";
import { type Ok, type ToolContext, ok } from "../../tool/index.ts";
import { allFailed, choiceMeta } from "./choice-meta.ts";
import type { Choice } from "./candidate.ts";
import type { ChoiceInvocation } from "./choice-deps.ts";
import { choiceFailure } from "../hub-reasons.ts";
import { combine } from "./combine.ts";
import {
  type RunnableCandidate,
  type SkippedCandidate,
  selectRunnable,
  firstBatch,
  isReadOnly,
} from "./select-runnable.ts";
import { type CandidateAttempt, judgeResult, mayTryNext } from "./judge-result.ts";
import type { ChoiceStrategy } from "./tool-kind.ts";

/** Calls the candidates of a choice until one of them, or several together, returned a valid result. */
export async function runChoice(made: ChoiceInvocation, context: ToolContext): Promise<Ok<unknown>> {
  return new ChoiceRun(made, context).run();
}

class ChoiceRun {
  readonly #made: ChoiceInvocation;
  readonly #context: ToolContext;
  readonly #tried: CandidateAttempt[] = [];
  #skipped: readonly SkippedCandidate[] = [];
  /** Candidates stopped by the time limit. */
  #late: readonly RunnableCandidate[] = [];

  constructor(made: ChoiceInvocation, context: ToolContext) {
    this.#made = made;
    this.#context = context;
  }

  async run(): Promise<Ok<unknown>> {
    const { choice, world } = this.#made;
    if (choice.candidates.length === 0) throw noneFits(choice);
    const { runnable, skipped } = await selectRunnable(this.#made, this.#context);
    this.#skipped = skipped;
    for (const { candidate, why } of skipped) this.#context.log(`skipped ${candidate.label}: ${why}`);
    const { strategy, batch } = firstBatch(runnable, choice, world.limits.maxParallel);
    const won = await this.#together(batch, strategy);
    if (won.length > 0) return this.#give(won);
    for (const entrant of runnable.filter((one) => !batch.includes(one))) {
      if (!this.#tried.every(mayTryNext) || this.#context.signal.aborted) break;
      const tried = await this.#start(entrant, true).done;
      if (tried.verdict.kind === "valid") return this.#give([tried]);
    }
    return this.#without(runnable);
  }

  /** Runs a batch and returns the candidates with usable results. */
  async #together(batch: readonly RunnableCandidate[], strategy: ChoiceStrategy): Promise<readonly CandidateAttempt[]> {
    if (batch.length === 0) return [];
    const running = batch.map((entrant) => this.#start(entrant, false));
    const all = Promise.all(running.map(({ done }) => done));
    if (strategy !== "pick_best") {
      await this.#wait(all);
      const over = batch.flatMap(
        (entrant) => this.#tried.find((tried) => tried.entrant === entrant && !isCancelled(tried)) ?? [],
      );
      this.#late = batch.filter((entrant) => !over.some((tried) => tried.entrant === entrant));
      return over.filter(({ verdict }) => verdict.kind === "valid");
    }
    const winner = await this.#wait(firstValid(running.map(({ done }) => done)));
    for (const { handle } of running) handle.abort("cancelled");
    // No call stays running: the engine abandons a loser that ignores its signal after a grace period.
    await this.#wait(all);
    return winner === undefined ? [] : [winner];
  }

  /** Once the call is aborted, it waits for no candidate. */
  #wait<T>(work: Promise<T>): Promise<T | undefined> {
    return raceAbortOrUndefined(work, this.#context.signal);
  }

  #start(
    entrant: RunnableCandidate,
    alone: boolean,
  ): { readonly handle: CallHandle; readonly done: Promise<CandidateAttempt> } {
    const { candidate, args } = entrant;
    const { tool } = candidate.registration;
    const { world } = this.#made;
    const { beginCall, progress, reuse } = internals(this.#context);
    world.breakers.enter(tool);
    // Handlers that run at the same time must not change each other's arguments.
    const handle = beginCall(tool, alone ? args : orElse(() => structuredClone(args), args), {
      // By the candidate, not by its place: another attempt may try them in another order.
      idempotencyKey: `${this.#context.idempotencyKey}/${candidate.label}`,
      ...(tool.timeoutMs === undefined && { limitMs: world.limits.toolTimeoutMs }),
      ...definedOnly({ onProgress: progress, reuse }),
    });
    return { handle, done: this.#finish(entrant, handle) };
  }

  async #finish(entrant: RunnableCandidate, handle: CallHandle): Promise<CandidateAttempt> {
    const result = await handle.run();
    const tried: CandidateAttempt = { entrant, result, verdict: judgeResult(entrant, result, this.#made) };
    this.#tried.push(tried);
    this.#note(tried);
    return tried;
  }

  #note({ entrant, verdict }: CandidateAttempt): void {
    const { world, choice } = this.#made;
    const { registration, label } = entrant.candidate;
    if (verdict.kind !== "failed") return world.breakers.succeeded(registration.tool);
    const now = world.clock.elapsed();
    world.breakers.failed(registration, verdict.failure, { call: this.#context.callId, now });
    if (!neutralFailureCodes.has(verdict.failure.code)) world.historyOf(choice.name).failed(label, now);
  }

  async #give(won: readonly CandidateAttempt[]): Promise<Ok<unknown>> {
    const { choice, world } = this.#made;
    const history = world.historyOf(choice.name);
    for (const { entrant } of won.toReversed()) history.succeeded(entrant.candidate.label, world.clock.elapsed());
    if (choice.byCapability) history.turn();
    const combined = await combine(won, this.#made, this.#context);
    const attachments = combined.used.flatMap(({ verdict }) => (verdict.kind === "failed" ? [] : verdict.attachments));
    return ok(combined.output, {
      ...(attachments.length > 0 && { attachments }),
      meta: {
        ...collectReportedFacts(combined.used),
        ...sumUsage(this.#tried),
        ...choiceMeta({ combined, tried: this.#tried, late: this.#late, skipped: this.#skipped }),
      },
    });
  }

  /**
   * Handles the case without a valid result: an empty result is returned, a refusal is final, and other failures are
   * reported together.
   */
  #without(entrants: readonly RunnableCandidate[]): Promise<Ok<unknown>> {
    const final = this.#tried.find((tried) => tried.verdict.kind === "failed" && !mayTryNext(tried));
    const empty = this.#tried.find(({ verdict }) => verdict.kind === "empty");
    if (final === undefined && empty !== undefined && !this.#context.signal.aborted) return this.#give([empty]);
    this.#context.report(sumUsage(this.#tried));
    // A tool that failed is not retried in this call: only a tool without alternatives is retried.
    const isFinal = entrants.length > 1;
    if (final?.verdict.kind !== "failed") throw propagateFailure(this.#failure(), { isFinal });
    const { failure: failed } = final.verdict;
    // A retry is safe only with the tool that may have done the work, and the next order of candidates is unknown.
    const isDoubtful = final.result.meta.attempts > 0 && entrants.filter((one) => !isReadOnly(one)).length > 1;
    const reported = isDoubtful && failed.retry === "safe" ? { ...failed, retry: "unsafe" as const } : failed;
    throw propagateFailure(reported, { isFinal });
  }

  #failure(): Failure {
    const { choice } = this.#made;
    if (this.#context.signal.aborted) return failure("cancelled", `${choice.name} was cancelled`, { byEffect: "safe" });
    return allFailed(choice, this.#tried, this.#skipped);
  }
}

/** Failures that do not affect the order of candidates. */
const neutralFailureCodes: ReadonlySet<string> = new Set(
  "cancelled approval_required permission_denied validation_error".split(" "),
);

function isCancelled({ verdict }: CandidateAttempt): boolean {
  return verdict.kind === "failed" && verdict.failure.code === "cancelled";
}

/** The first whose result counts, or undefined when all are done and none does. */
function firstValid(running: readonly Promise<CandidateAttempt>[]): Promise<CandidateAttempt | undefined> {
  return new Promise((resolve, reject) => {
    let left = running.length;
    for (const done of running) {
      done.then((tried) => {
        left--;
        if (tried.verdict.kind === "valid") resolve(tried);
        else if (left === 0) resolve(undefined);
      }, reject);
    }
  });
}

function noneFits({ name, unfit }: Choice) {
  return choiceFailure("no_matching_tool", `no tool can serve ${name}: ${unfit.join("; ")}`, {
    forModel: `Nothing can serve ${name} at present. Use another tool.`,
  });
}

type Facts = Readonly<Record<string, unknown>>;

/** Metadata that the engine sets for each call. */
const engineFacts: ReadonlySet<string> = new Set(
  "callId source attempts cached abandoned ignored preapproved".split(" "),
);

/** Usage of every candidate, including failed ones, which is summed. */
const adding = ["tokensUsed", "cost"] as const;

/** Metadata reported by the tools whose results are used; the best one takes precedence. */
function collectReportedFacts(used: readonly CandidateAttempt[]): Facts {
  const facts = used
    .toReversed()
    .flatMap(({ result }) => Object.entries(result.meta).filter(([name]) => !engineFacts.has(name)));
  const isReused = used.length > 0 && used.every(({ result }) => result.meta.cached === true);
  return { ...Object.fromEntries(facts), ...(isReused && { cached: true }) };
}

/** Total usage of all calls of a choice, regardless of their outcome; reused results cost nothing this time. */
function sumUsage(tried: readonly CandidateAttempt[]): Facts {
  const spent: Record<string, number> = {};
  for (const { result } of tried) {
    for (const name of adding) {
      const used = result.meta[name];
      if (typeof used === "number") spent[name] = (spent[name] ?? 0) + used;
    }
  }
  return spent;
}
