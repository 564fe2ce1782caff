import type { ConversationTurn, ConversationTurnRange } from "./run-journal.ts";

/** Maximum number of conversations without a stored run. */
const maxIdleConversations = 100;

interface InMemoryConversation {
  readonly turns: ConversationTurn[];
  /** Number of its stored runs. */
  runs: number;
  /** True if its turns were read, and may be continued. */
  isKnown: boolean;
}

interface RunTurn extends Omit<ConversationTurn, "number" | "after" | "data"> {
  readonly after?: number;
  readonly data: string | (() => string);
}

/** The turns of conversations, in memory: all conversations with a run, and the most recent ones without. */
export class InMemoryTurns {
  readonly #conversations = new Map<string, InMemoryConversation>();
  /** Conversations without a run, the oldest first. */
  readonly #idle = new Set<string>();
  #last = 0;

  /** A run of this conversation is stored from now on. */
  hold(id: string): void {
    const stored = this.#conversations.get(id);
    if (stored === undefined) this.#conversations.set(id, { turns: [], runs: 1, isKnown: false });
    else stored.runs++;
    this.#idle.delete(id);
  }

  /** A run of this conversation was removed. */
  release(id: string, runId: string): void {
    const stored = this.#conversations.get(id);
    if (stored === undefined || --stored.runs > 0) return;
    // An unnamed conversation without turns cannot be continued.
    if (id === runId && stored.turns.length === 0) this.#conversations.delete(id);
    else this.#idle.add(id);
    for (const first of this.#idle) {
      if (this.#idle.size <= maxIdleConversations) break;
      this.#idle.delete(first);
      this.#conversations.delete(first);
    }
  }

  /** Removes a conversation without a run. */
  remove(id: string): void {
    if (this.#idle.delete(id)) this.#conversations.delete(id);
  }

  add(id: string, turn: RunTurn): void {
    const stored = this.#conversations.get(id);
    if (stored === undefined) return;
    const { turns, runs, isKnown } = stored;
    const { data } = turn;
    const isWritten = typeof data === "string";
    // A run that is its whole conversation can be replayed to get the turn; most are never continued.
    if (!isWritten && id === turn.runId && runs === 1 && turns.length === 0 && !isKnown) return;
    const after = turns.at(-1)?.number ?? 0;
    turns.push({ after, ...turn, data: isWritten ? data : data(), number: ++this.#last });
  }

  list(id: string, { from = 0, to = Infinity, last }: ConversationTurnRange = {}): readonly ConversationTurn[] {
    const stored = this.#conversations.get(id);
    if (stored === undefined) return [];
    stored.isKnown = true;
    const { turns } = stored;
    // From the end: most readers need only the last turns.
    const end = turns.findLastIndex(({ number }) => number <= to) + 1;
    const begin = turns.findLastIndex(({ number }) => number < from) + 1;
    return turns.slice(Math.max(begin, last === undefined ? 0 : end - last), end);
  }
}
