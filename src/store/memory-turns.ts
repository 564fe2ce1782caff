import type { Turn, TurnRange } from "./runs.ts";

/** Of conversations without a run that is kept, as many are remembered. */
const idleKept = 100;

interface Kept {
  readonly turns: Turn[];
  /** How many runs of it are kept. */
  runs: number;
  /** Somebody has looked at it, and goes on from there. */
  isKnown: boolean;
}

interface MadeTurn extends Omit<Turn, "number" | "after" | "data"> {
  readonly after?: number;
  readonly data: string | (() => string);
}

/** The turns of conversations, in memory: of all that have a run, and of those that were left last. */
export class MemoryTurns {
  readonly #conversations = new Map<string, Kept>();
  /** Those without a run, the longest left first. */
  readonly #idle = new Set<string>();
  #last = 0;

  /** A run of this conversation is kept from now on. */
  hold(id: string): void {
    const kept = this.#conversations.get(id);
    if (kept === undefined) this.#conversations.set(id, { turns: [], runs: 1, isKnown: false });
    else kept.runs++;
    this.#idle.delete(id);
  }

  /** A run of this conversation is forgotten. */
  release(id: string, runId: string): void {
    const kept = this.#conversations.get(id);
    if (kept === undefined || --kept.runs > 0) return;
    // Nobody went on with what nobody named.
    if (id === runId && kept.turns.length === 0) this.#conversations.delete(id);
    else this.#idle.add(id);
    for (const first of this.#idle) {
      if (this.#idle.size <= idleKept) break;
      this.#idle.delete(first);
      this.#conversations.delete(first);
    }
  }

  add(id: string, turn: MadeTurn): void {
    const kept = this.#conversations.get(id);
    if (kept === undefined) return;
    const { turns, runs, isKnown } = kept;
    const { data } = turn;
    const isWritten = typeof data === "string";
    // A run that is all of its conversation tells it; most are never gone on with.
    if (!isWritten && id === turn.runId && runs === 1 && turns.length === 0 && !isKnown) return;
    const after = turns.at(-1)?.number ?? 0;
    turns.push({ after, ...turn, data: isWritten ? data : data(), number: ++this.#last });
  }

  list(id: string, { from = 0, to = Infinity }: TurnRange = {}): readonly Turn[] {
    const kept = this.#conversations.get(id);
    if (kept === undefined) return [];
    kept.isKnown = true;
    return kept.turns.filter(({ number }) => number >= from && number <= to);
  }
}
