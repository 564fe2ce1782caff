import { LruMap, fail } from "../../base/index.ts";
import type {
  ConversationQuery,
  ConversationRemoval,
  ConversationStore,
  ConversationTurn,
  RunConversation,
  RunReader,
  StoredConversation,
} from "../../store/index.ts";
import type { AgentResult } from "../events/agent-result.ts";
import { hasUntrustedContent } from "./untrusted-messages.ts";
import type { ConversationMessage } from "../events/message.ts";
import {
  type MessageHistory,
  applyTurns,
  clearingTurn,
  emptyHistory,
  firstTurn,
  lastWholeTurn,
} from "./message-history.ts";

/** Dependencies of {@link Conversations}. */
export interface ConversationsDeps {
  readonly journal: ConversationStore & Pick<RunReader, "list">;
  /** Replays a run. */
  readonly inspect: (runId: string) => Promise<AgentResult>;
}

/** Number of conversations whose history is retained for their next prompt. */
const maxRecent = 8;
/** Number of turns read at once, from the last one back to one that contains the whole history. */
const turnsPerPage = 16;

/**
 * Histories of conversations. A conversation consists of the turns stored in the journal under its id, in the order in
 * which their runs ended. It only grows, so that the history of a run can be rebuilt from the turns up to its start.
 */
export class Conversations {
  readonly #journal: ConversationsDeps["journal"];
  readonly #inspect: ConversationsDeps["inspect"];
  /** Histories by conversation. */
  readonly #recent = new LruMap<MessageHistory>({ maxEntries: maxRecent });

  constructor({ journal, inspect }: ConversationsDeps) {
    this.#journal = journal;
    this.#inspect = inspect;
  }

  /**
   * Loads the current history of a conversation, with the prompts of all callers.
   *
   * @param known History that is already loaded and need not be read again.
   */
  async load(id: string, known: MessageHistory = emptyHistory): Promise<MessageHistory> {
    const { isPersisted, turn: from } = known;
    if (isPersisted && from === 0) return this.#retain(id, await this.#loadRecent(id));
    const turns = await this.#journal.turns(id, isPersisted ? { from } : { last: 1 });
    if (isPersisted && turns[0]?.number === from) return this.#retain(id, applyTurns(known, turns.slice(1)));
    // Provided by the caller, or no longer in the journal.
    return { ...known, isPersisted: false, turn: turns.at(-1)?.number ?? 0 };
  }

  async #loadRecent(id: string): Promise<MessageHistory> {
    const recent = this.#recent.get(id);
    const turns = recent === undefined ? [] : await this.#journal.turns(id, { from: recent.turn });
    if (recent !== undefined && turns[0]?.number === recent.turn) return applyTurns(recent, turns.slice(1));
    const stored = await this.#loadStored(id);
    return stored.turn > 0 ? stored : applyTurns(emptyHistory, await this.#fromLastRun(id));
  }

  #retain(id: string, history: MessageHistory): MessageHistory {
    if (history.turn > 0) this.#recent.set(id, history);
    else this.#recent.delete(id);
    return history;
  }

  /** Reads the turns up to one, beginning with the last one that contains the whole history. */
  async #loadStored(id: string, to: number = Number.MAX_SAFE_INTEGER - 1): Promise<MessageHistory> {
    let turns: readonly ConversationTurn[] = [];
    for (let last = turnsPerPage; ; last *= 2) {
      const page = await this.#journal.turns(id, { to: (turns[0]?.number ?? to + 1) - 1, last });
      turns = [...page, ...turns];
      const whole = lastWholeTurn(turns);
      if (whole > 0) return applyTurns({ ...emptyHistory, turn: turns[whole]?.after ?? 0 }, turns.slice(whole));
      if (page.length < last) return applyTurns(emptyHistory, turns);
    }
  }

  /** A history provided by the caller; if the journal has the same messages, a run need not store them. */
  async fromCaller(
    id: string | undefined,
    history: readonly ConversationMessage[],
    tainted?: boolean,
  ): Promise<MessageHistory> {
    const fromCaller = { messages: history, tainted: tainted ?? hasUntrustedContent(history) };
    const stored = id === undefined ? emptyHistory : await this.load(id);
    const isStored = stored.isPersisted && JSON.stringify(stored.messages) === JSON.stringify(history);
    return { ...fromCaller, turn: stored.turn, isPersisted: isStored };
  }

  /** The history at the start of a run. */
  async historyBefore(runId: string, { id, after }: RunConversation): Promise<readonly ConversationMessage[]> {
    if (after === 0) return [];
    const { turn, messages } = await this.#loadStored(id, after);
    if (turn === after) return messages;
    const message = `the history of conversation ${id} before run ${runId} has been removed; send the prompt again`;
    throw fail(message, { code: "run_changed", reason: "conversation_removed" });
  }

  /** Lists conversations, the one with the newest prompt first. */
  list(query: ConversationQuery): Promise<readonly StoredConversation[]> {
    return this.#journal.conversations(query);
  }

  /** A conversation with stored runs; undefined if there is none. */
  async find(id: string): Promise<StoredConversation | undefined> {
    return (await this.#journal.conversations({ id, limit: 1 }))[0];
  }

  /** Removes a conversation with its runs and the records of their calls, unless one of the runs has not ended. */
  remove(id: string): Promise<ConversationRemoval> {
    return this.#journal.removeConversation(id);
  }

  /** Number of other prompts that were answered concurrently, unknown to the run. */
  async countConcurrent(runId: string, { id, after }: RunConversation): Promise<number> {
    const turns = await this.#journal.turns(id, { from: after + 1 });
    const own = turns.findIndex((turn) => turn.runId === runId);
    return turns.slice(0, Math.max(0, own)).filter((turn) => turn.runId !== undefined).length;
  }

  /** Clears the history, for all callers and from now on. */
  async clear(id: string, at: number): Promise<void> {
    await this.#journal.addTurn(id, { at, data: clearingTurn });
  }

  /**
   * Creates the first turn from the last run: a run may be its whole conversation, and runs from before turns existed
   * stored their history themselves.
   */
  async #fromLastRun(id: string): Promise<readonly ConversationTurn[]> {
    const [last] = await this.#journal.list({ conversation: id, status: "success", limit: 1 });
    if (last === undefined) return [];
    const { finishedAt: at = last.startedAt } = last;
    await this.#journal.addTurn(id, { at, ...firstTurn(await this.#inspect(last.id)) });
    return this.#journal.turns(id);
  }
}
