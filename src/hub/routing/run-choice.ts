import { type Failure, failure, unlessAborted } from "../../base/index.ts";
import { type CallHandle, nestedCalls, passOn, progressOf, reuseOf } from "../../engine/index.ts";
import { type Ok, type ToolContext, ok } from "../../tool/index.ts";
import { allFailed } from "./all-failed.ts";
import type { Choice } from "./candidate.ts";
import { choiceMeta } from "./choice-meta.ts";
import type { MadeChoice } from "./choice-world.ts";
import { refuseChoice } from "./choose-reasons.ts";
import { combine } from "./combine.ts";
import { type Entrant, type PassedOver, findEntrants, firstBatch, isHarmless } from "./entrants.ts";
import { type Tried, judge, mayGoOn } from "./judge-result.ts";
import { factsOf, spentOn } from "./reported-facts.ts";
import type { Strategy } from "./tool-kind.ts";

/** Calls the candidates of a choice until one of them, or several together, gave a result that counts. */
export async function runChoice(made: MadeChoice, context: ToolContext): Promise<Ok<unknown>> {
  return new ChoiceRun(made, context).run();
}

/** A nested call under way. */
interface Running {
  readonly handle: CallHandle;
  readonly done: Promise<Tried>;
}

class ChoiceRun {
  readonly #made: MadeChoice;
  readonly #context: ToolContext;
  readonly #tried: Tried[] = [];
  #passed: readonly PassedOver[] = [];
  /** Those that would have been a part of the result, had there been more time. */
  #late: readonly Entrant[] = [];

  constructor(made: MadeChoice, context: ToolContext) {
    this.#made = made;
    this.#context = context;
  }

  async run(): Promise<Ok<unknown>> {
    const { choice, world } = this.#made;
    if (choice.candidates.length === 0) throw noneFits(choice);
    const { entrants, passed } = await findEntrants(this.#made, this.#context);
    this.#passed = passed;
    for (const { candidate, why } of passed) this.#context.log(`passed over ${candidate.label}: ${why}`);
    const { strategy, batch } = firstBatch(entrants, choice, world.limits.atOnce);
    const won = await this.#together(batch, strategy);
    if (won.length > 0) return this.#give(won);
    for (const entrant of entrants.filter((one) => !batch.includes(one))) {
      if (!this.#tried.every(mayGoOn) || this.#context.signal.aborted) break;
      const tried = await this.#start(entrant, true).done;
      if (tried.verdict.kind === "valid") return this.#give([tried]);
    }
    return this.#without(entrants);
  }

  /** Those of a batch whose results count. */
  async #together(batch: readonly Entrant[], strategy: Strategy): Promise<readonly Tried[]> {
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
    // Nothing is left running: a loser that ignores its signal is given up by the engine after a moment of grace.
    await this.#wait(all);
    return winner === undefined ? [] : [winner];
  }

  /** Once the call was told to stop, nobody is waited for. */
  #wait<T>(work: Promise<T>): Promise<T | undefined> {
    return unlessAborted(work, this.#context.signal);
  }

  #start(entrant: Entrant, alone: boolean): Running {
    const { candidate } = entrant;
    const { tool } = candidate.registration;
    const { world } = this.#made;
    const tell = progressOf(this.#context);
    const reuse = reuseOf(this.#context);
    world.breakers.enter(tool);
    const handle = nestedCalls(this.#context)(tool, alone ? entrant.args : ownCopy(entrant.args), {
      // By the candidate, not by its place: another attempt may try them in another order.
      idempotencyKey: `${this.#context.idempotencyKey}/${candidate.label}`,
      ...(tool.timeoutMs === undefined && { limitMs: world.limits.toolMs }),
      ...(tell !== undefined && { onProgress: tell }),
      ...(reuse !== undefined && { reuse }),
    });
    return { handle, done: this.#finish(entrant, handle) };
  }

  async #finish(entrant: Entrant, handle: CallHandle): Promise<Tried> {
    const result = await handle.run();
    const tried: Tried = { entrant, result, verdict: judge(entrant, result, this.#made) };
    this.#tried.push(tried);
    this.#note(tried);
    return tried;
  }

  #note({ entrant, verdict }: Tried): void {
    const { world, choice } = this.#made;
    const { registration, label } = entrant.candidate;
    if (verdict.kind !== "failed") {
      world.breakers.succeeded(registration.tool);
      return;
    }
    const now = world.clock.elapsed();
    world.breakers.failed(registration, verdict.failure, { call: this.#context.callId, now });
    if (!saysNothing.has(verdict.failure.code)) world.historyOf(choice.name).failed(label, now);
  }

  async #give(won: readonly Tried[]): Promise<Ok<unknown>> {
    const { choice, world } = this.#made;
    const history = world.historyOf(choice.name);
    for (const { entrant } of won.toReversed()) history.succeeded(entrant.candidate.label, world.clock.elapsed());
    if (choice.byCapability) history.turn();
    const combined = await combine(won, this.#made, this.#context);
    const attachments = combined.used.flatMap(({ verdict }) => (verdict.kind === "failed" ? [] : verdict.attachments));
    return ok(combined.output, {
      ...(attachments.length > 0 && { attachments }),
      meta: {
        ...factsOf(combined.used),
        ...spentOn(this.#tried),
        ...choiceMeta({ combined, tried: this.#tried, late: this.#late, passed: this.#passed }),
      },
    });
  }

  /** Nothing counted: what is empty is still an answer, a refusal is final, and the rest is told together. */
  #without(entrants: readonly Entrant[]): Promise<Ok<unknown>> {
    const final = this.#tried.find((tried) => tried.verdict.kind === "failed" && !mayGoOn(tried));
    const empty = this.#tried.find(({ verdict }) => verdict.kind === "empty");
    if (final === undefined && empty !== undefined && !this.#context.signal.aborted) return this.#give([empty]);
    this.#context.report(spentOn(this.#tried));
    if (final?.verdict.kind !== "failed") throw passOn(this.#failure());
    const { failure: failed } = final.verdict;
    // To do the same again is harmless only with the tool that may have done it, and nobody knows who is next.
    const isDoubtful = final.result.meta.attempts > 0 && entrants.filter((one) => !isHarmless(one)).length > 1;
    throw passOn(isDoubtful && failed.retry === "safe" ? { ...failed, retry: "unsafe" } : failed);
  }

  #failure(): Failure {
    const { choice } = this.#made;
    if (this.#context.signal.aborted) return failure("cancelled", `${choice.name} was cancelled`, { byEffect: "safe" });
    return allFailed(choice, this.#tried, this.#passed);
  }
}

/** Failures that tell nothing about who should go first. */
const saysNothing: ReadonlySet<string> = new Set([
  "cancelled",
  "approval_required",
  "permission_denied",
  "validation_error",
]);

function isCancelled({ verdict }: Tried): boolean {
  return verdict.kind === "failed" && verdict.failure.code === "cancelled";
}

/** The first whose result counts, or undefined when all are done and none does. */
function firstValid(running: readonly Promise<Tried>[]): Promise<Tried | undefined> {
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

/** Handlers that run at the same time must not change each other's arguments. */
function ownCopy(args: unknown): unknown {
  try {
    return structuredClone(args);
  } catch {
    return args;
  }
}

function noneFits({ name, unfit }: Choice) {
  return refuseChoice("none_fits", `no tool can serve ${name}: ${unfit.join("; ")}`, {
    forModel: `Nothing can serve ${name} at present. Use another tool.`,
  });
}
