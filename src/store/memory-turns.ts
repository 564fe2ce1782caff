import type { Turn, TurnRange } from "./runs.ts";

/** Of conversations without a run that is kept, as many are remembered. */
const idleKept = 100;

/** A turn that nobody has looked at may not be written yet. */
type KeptTurn = Omit<Turn, "data"> & { readonly data: string | (() => string) };

interface Kept {
  readonly turns: KeptTurn[];
  /** How many runs of it are kept. */
  runs: number;
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
    if (kept === undefined) this.#conversations.set(id, { turns: [], runs: 1 });
    else kept.runs++;
    this.#idle.delete(id);
  }

  /** A run of this conversation is forgotten. */
  release(id: string, runId: string): void {
    const kept = this.#conversations.get(id);
    if (kept === undefined || --kept.runs > 0) return;
    // Nobody went on with what nobody named.
    if (id === runId && kept.turns.length < 2) this.#conversations.delete(id);
    else this.#idle.add(id);
    for (const first of this.#idle) {
      if (this.#idle.size <= idleKept) break;
      this.#idle.delete(first);
      this.#conversations.delete(first);
    }
  }

  add(id: string, turn: Omit<KeptTurn, "number" | "after"> & { readonly after?: number }): void {
    const turns = this.#conversations.get(id)?.turns;
    turns?.push({ after: turns.at(-1)?.number ?? 0, ...turn, number: ++this.#last });
  }

  list(id: string, { from = 0, to = Infinity }: TurnRange = {}): readonly Turn[] {
    const turns = this.#conversations.get(id)?.turns ?? [];
    return turns.flatMap((turn, at) => {
      if (turn.number < from || turn.number > to) return [];
      // Written once: what it is made of need not stay.
      return [(turns[at] = written(turn))];
    });
  }
}

function written(turn: KeptTurn): Turn & KeptTurn {
  const { data } = turn;
  return { ...turn, data: typeof data === "string" ? data : data() };
}
