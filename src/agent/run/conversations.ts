import { fail } from "../../base/index.ts";
import type { RunConversation, RunJournal, Turn } from "../../store/index.ts";
import type { AgentResult } from "../agent-result.ts";
import { holdsOutside } from "./holds-outside.ts";
import type { ConversationMessage } from "../message.ts";
import { type Said, afterTurns, clearingTurn, firstTurn, nothingSaid } from "./said.ts";

/** What {@link Conversations} is made of. */
export interface ConversationsParts {
  readonly journal: RunJournal;
  /** Tells a run again. */
  readonly inspect: (runId: string) => Promise<AgentResult>;
}

/**
 * What was said in conversations. A conversation is the turns that the journal has under its id, in the order in which
 * their runs ended: it only grows, so that what a run began with can be told again from the turns up to there.
 */
export class Conversations {
  readonly #journal: RunJournal;
  readonly #inspect: ConversationsParts["inspect"];

  constructor({ journal, inspect }: ConversationsParts) {
    this.#journal = journal;
    this.#inspect = inspect;
  }

  /**
   * A conversation as far as it has come, whoever asked in it.
   *
   * @param known What was said in it before, where that need not be looked up again.
   */
  async soFar(id: string, known: Said = nothingSaid): Promise<Said> {
    const from = known.isKept ? known.turn : 0;
    const turns = await this.#journal.turns(id, { from });
    if (known.isKept && from === 0) {
      return afterTurns(known, turns.length === 0 ? await this.#fromLastRun(id) : turns);
    }
    if (known.isKept && turns[0]?.number === from) return afterTurns(known, turns.slice(1));
    // Given from elsewhere, or the journal has forgotten it.
    return { ...known, isKept: false, turn: turns.at(-1)?.number ?? 0 };
  }

  /** A conversation as somebody tells it; where that is what the journal has, a run need not keep it. */
  async given(id: string | undefined, history: readonly ConversationMessage[], tainted?: boolean): Promise<Said> {
    const told = { messages: history, tainted: tainted ?? holdsOutside(history) };
    const kept = id === undefined ? nothingSaid : await this.soFar(id);
    const isKept = kept.isKept && JSON.stringify(kept.messages) === JSON.stringify(history);
    return { ...told, turn: kept.turn, isKept };
  }

  /** What a run began with. */
  async before(runId: string, { id, after }: RunConversation): Promise<readonly ConversationMessage[]> {
    if (after === 0) return [];
    const turns = await this.#journal.turns(id, { to: after });
    if (turns.at(-1)?.number === after) return afterTurns(nothingSaid, turns).messages;
    const message = `what was said in conversation ${id} before run ${runId} was removed meanwhile; ask again`;
    throw fail(message, { code: "run_changed", reason: "conversation_removed" });
  }

  /** How many other questions were answered while this one was, none of which its run knew of. */
  async missedBy(runId: string, { id, after }: RunConversation): Promise<number> {
    const turns = await this.#journal.turns(id, { from: after + 1 });
    const own = turns.findIndex((turn) => turn.runId === runId);
    return turns.slice(0, Math.max(0, own)).filter((turn) => turn.runId !== undefined).length;
  }

  /** Forgets what was said, for everybody and from now on. */
  async clear(id: string, at: number): Promise<void> {
    await this.#journal.addTurn(id, { at, data: clearingTurn });
  }

  /**
   * A run may be all of its conversation; and before there were turns, one kept all that was said before it. From now on
   * there is a turn.
   */
  async #fromLastRun(id: string): Promise<readonly Turn[]> {
    const [last] = await this.#journal.list({ conversation: id, status: "success", limit: 1 });
    if (last === undefined) return [];
    const { finishedAt: at = last.startedAt } = last;
    await this.#journal.addTurn(id, { at, ...firstTurn(await this.#inspect(last.id)) });
    return this.#journal.turns(id);
  }
}
