import { type Failure, failure } from "../../base/index.ts";
import { type CallHandle, nestedCalls, passOn, progressOf } from "../../engine/index.ts";
import { type Ok, type ToolContext, ok } from "../../tool/index.ts";
import { allFailed } from "./all-failed.ts";
import type { Choice } from "./candidate.ts";
import type { MadeChoice } from "./choice-world.ts";
import { refuseChoice } from "./choose-reasons.ts";
import { combine } from "./combine.ts";
import { type Entrant, type PassedOver, findEntrants, firstBatch } from "./entrants.ts";
import { type Tried, judge, mayGoOn } from "./judge-result.ts";
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

  constructor(made: MadeChoice, context: ToolContext) {
    this.#made = made;
    this.#context = context;
  }

  async run(): Promise<Ok<unknown>> {
    const { choice, world } = this.#made;
    if (choice.candidates.length === 0) throw noneFits(choice);
    const { entrants, passed } = await findEntrants(this.#made, this.#context);
    for (const { candidate, why } of passed) this.#context.log(`passed over ${candidate.label}: ${why}`);
    const { strategy, batch } = firstBatch(entrants, choice, world.limits.atOnce);
    const won = await this.#together(batch, strategy);
    if (won.length > 0) return this.#give(won);
    for (const entrant of entrants.filter((one) => !batch.includes(one))) {
      if (!this.#tried.every(mayGoOn) || this.#context.signal.aborted) break;
      const tried = await this.#start(entrant, true).done;
      if (tried.verdict.kind === "valid") return this.#give([tried]);
    }
    return this.#without(passed);
  }

  /** Those of a batch whose results count. */
  async #together(batch: readonly Entrant[], strategy: Strategy): Promise<readonly Tried[]> {
    if (batch.length === 0) return [];
    const running = batch.map((entrant) => this.#start(entrant, false));
    if (strategy === "pick_best") {
      const winner = await firstValid(running.map(({ done }) => done));
      for (const { handle } of running) handle.abort("cancelled");
      // Nothing is left running: a loser that ignores its signal is given up by the engine after a moment of grace.
      await Promise.all(running.map(({ done }) => done));
      return winner === undefined ? [] : [winner];
    }
    const all = await Promise.all(running.map(({ done }) => done));
    return all.filter(({ verdict }) => verdict.kind === "valid");
  }

  #start(entrant: Entrant, alone: boolean): Running {
    const { candidate } = entrant;
    const { tool } = candidate.registration;
    const { world } = this.#made;
    const tell = alone ? progressOf(this.#context) : undefined;
    world.breakers.enter(tool);
    const handle = nestedCalls(this.#context)(tool, alone ? entrant.args : ownCopy(entrant.args), {
      // By the candidate, not by its place: another attempt may try them in another order.
      idempotencyKey: `${this.#context.idempotencyKey}/${candidate.label}`,
      ...(tool.timeoutMs === undefined && { limitMs: world.limits.toolMs }),
      ...(tell !== undefined && { onProgress: tell }),
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
    const { output, synthesized, by, used } = await combine(won, this.#made, this.#context);
    const attachments = used.flatMap(({ verdict }) => (verdict.kind === "failed" ? [] : verdict.attachments));
    const sources = new Set(used.map(({ entrant }) => entrant.candidate.registration.source));
    return ok(output, {
      ...(attachments.length > 0 && { attachments }),
      meta: {
        source: sources.size === 1 ? [...sources].join("") : "hub",
        synthesized,
        sourceCount: used.length,
        sources: used.map(({ entrant }) => entrant.candidate.label),
        ...(by !== undefined && { synthesis: by }),
      },
    });
  }

  /** Nothing counted: what is empty is still an answer, a refusal is final, and the rest is told together. */
  #without(passed: readonly PassedOver[]): Promise<Ok<unknown>> {
    const final = this.#tried.find((tried) => tried.verdict.kind === "failed" && !mayGoOn(tried));
    if (final?.verdict.kind === "failed") throw passOn(final.verdict.failure);
    const empty = this.#tried.find(({ verdict }) => verdict.kind === "empty");
    if (empty !== undefined) return this.#give([empty]);
    throw passOn(this.#failure(passed));
  }

  #failure(passed: readonly PassedOver[]): Failure {
    const { choice } = this.#made;
    if (this.#context.signal.aborted) return failure("cancelled", `${choice.name} was cancelled`, { byEffect: "safe" });
    return allFailed(choice, this.#tried, passed);
  }
}

/** Failures that tell nothing about who should go first. */
const saysNothing: ReadonlySet<string> = new Set([
  "cancelled",
  "approval_required",
  "permission_denied",
  "validation_error",
]);

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
