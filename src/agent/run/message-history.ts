import type { ConversationTurn } from "../../store/index.ts";
import type { ConversationMessage } from "../events/message.ts";

/** History of a conversation, as known to a caller. */
export interface MessageHistory {
  readonly messages: readonly ConversationMessage[];
  /** It contains untrusted content. */
  readonly tainted: boolean;
  /** The last turn in the journal when this was loaded; 0 if there was none. */
  readonly turn: number;
  /** The turns of the journal up to that one contain these messages, so that a run need not store them. */
  readonly isPersisted: boolean;
  /** Names of the tools that its prompts were offered, in this order. */
  readonly offered?: readonly string[];
}

/** The history of a new conversation. */
export const emptyHistory: MessageHistory = { messages: [], tainted: false, turn: 0, isPersisted: true };

/** Messages that stay unchanged: from one index to another, exclusive. */
type RetainedRange = readonly [from: number, to: number];

/** A turn as stored in the journal: its added messages, and its changes to the older ones if they did not all stay. */
interface PersistedTurn {
  /**
   * It contains the whole history up to it, so that no earlier turn has to be read. Always the first key: see
   * {@link lastWholeTurn}.
   */
  readonly whole?: true;
  readonly older?: readonly (RetainedRange | ConversationMessage)[];
  /** The older messages were provided by the caller of its run: no other turn contains them. */
  readonly fromCaller?: true;
  readonly added: readonly ConversationMessage[];
  readonly tainted?: true;
  /** Names of the tools that its model was offered in addition to those of the turns before. */
  readonly offered?: readonly string[];
}

/** After this turn the history is empty. */
export const clearingTurn: string = JSON.stringify({ older: [], added: [] } satisfies PersistedTurn);

/** A turn that contains the whole history. It takes effect only as the first turn; after other turns it is ignored. */
export function firstTurn({
  messages,
  tainted,
}: Pick<MessageHistory, "messages" | "tainted">): Pick<ConversationTurn, "after" | "data"> {
  const turn: PersistedTurn = { older: messages, added: [], ...(tainted && { tainted: true }) };
  return { after: 0, data: JSON.stringify(turn) };
}

/** Length of the turns that were read to load a history, by its messages. */
const readChars = new WeakMap<readonly ConversationMessage[], number>();

/** Shorter turns are read quickly, regardless of their contents. */
const shortTurnsChars = 32_768;

/**
 * Index of the last turn that contains the whole history up to it; -1 if there is none. A turn whose run did not know
 * the turn before it only adds messages, so the first one of the list does not count.
 */
export function lastWholeTurn(turns: readonly ConversationTurn[]): number {
  return turns.findLastIndex(({ after, data }, at) => at > 0 && after === turns[at - 1]?.number && startsAnew(data));
}

/** True if no earlier turn matters. Does not parse the turn, because most turns before the last whole one are not read. */
function startsAnew(data: string): boolean {
  return data === clearingTurn || data.startsWith('{"whole":true,');
}

/**
 * Serializes the changes that a run makes to its conversation, for the journal. Messages that the run started with, by
 * identity, are not written again, unless the caller provided them, or earlier turns contain more than twice as much as
 * is left of them: a prompt then costs no more than its context window, however long the conversation is.
 *
 * @param before History at the start of the run.
 * @param after Complete history now.
 */
export function writeTurn(
  before: Pick<MessageHistory, "messages" | "isPersisted" | "offered">,
  after: Pick<MessageHistory, "messages" | "tainted" | "offered">,
): string {
  const { older, end } = changesOf(before, after.messages);
  const isUnchanged = before.isPersisted && areAll(older, before.messages.length);
  const offered = (after.offered ?? []).filter((name) => before.offered?.includes(name) !== true);
  const turn: PersistedTurn = {
    ...(!isUnchanged && { older }),
    ...(!before.isPersisted && { fromCaller: true }),
    added: after.messages.slice(end),
    ...(after.tainted && { tainted: true }),
    ...(offered.length > 0 && { offered }),
  };
  const data = JSON.stringify(turn);
  const toRead = data.length + (readChars.get(before.messages) ?? 0);
  if (isUnchanged || toRead < shortTurnsChars) return data;
  const whole = wholeTurn(turn, after.messages.slice(0, end), [...(before.offered ?? []), ...offered]);
  return whole.length * 2 < toRead ? whole : data;
}

/** Older messages in their present form, and their number. */
function changesOf(
  { messages, isPersisted }: Pick<MessageHistory, "messages" | "isPersisted">,
  after: readonly ConversationMessage[],
): { readonly older: (RetainedRange | ConversationMessage)[]; readonly end: number } {
  const positions = new Map(messages.map((message, index) => [message, index]));
  // Old results may be cleared, and a summary may replace the beginning; everything after the last known message is
  // new.
  const end = after.findLastIndex((message) => positions.has(message)) + 1;
  const older: (RetainedRange | ConversationMessage)[] = [];
  for (const message of after.slice(0, end)) {
    const at = isPersisted ? positions.get(message) : undefined;
    const last = older.at(-1);
    if (at === undefined) older.push(message);
    else if (isStayed(last) && last[1] === at) older[older.length - 1] = [last[0], at + 1];
    else older.push([at, at + 1]);
  }
  return { older, end };
}

function wholeTurn(turn: PersistedTurn, older: readonly ConversationMessage[], offered: readonly string[]): string {
  const whole: PersistedTurn = { whole: true, ...turn, older, ...(offered.length > 0 && { offered }) };
  return JSON.stringify(whole);
}

/**
 * Applies the following turns to a conversation. A turn whose run did not know the turn before it, because both ran
 * concurrently, only adds its own messages: its changes to older messages refer to other messages. The same turns give
 * the same conversation, no matter how often it was loaded between them.
 */
export function applyTurns(history: MessageHistory, turns: readonly ConversationTurn[]): MessageHistory {
  let messages = [...history.messages];
  let { tainted, turn, offered } = history;
  let toRead = readChars.get(history.messages) ?? 0;
  for (const { number, after, data } of turns) {
    // Written by this module.
    const persisted = JSON.parse(data) as PersistedTurn;
    const follows = after === turn;
    if (follows && persisted.older !== undefined) messages = persisted.older.flatMap((part) => olderOf(part, messages));
    const added = follows ? persisted.added : withUniqueCallIds(newMessagesOf(persisted, messages), messages, number);
    for (const message of added) messages.push(message);
    tainted = persisted.tainted === true || (!follows && tainted);
    turn = number;
    toRead = data.length + (startsAnew(data) ? 0 : toRead);
    if (data === clearingTurn) offered = undefined;
    offered = union(offered, persisted.offered);
  }
  readChars.set(messages, toRead);
  return { messages, tainted, turn, isPersisted: history.isPersisted, ...(offered !== undefined && { offered }) };
}

function union(
  some: readonly string[] | undefined,
  more: readonly string[] | undefined,
): readonly string[] | undefined {
  return more === undefined ? some : [...new Set([...(some ?? []), ...more])];
}

/** Messages of a concurrent turn that are missing in a conversation. */
function newMessagesOf(
  { older = [], fromCaller, added }: PersistedTurn,
  messages: readonly ConversationMessage[],
): ConversationMessage[] {
  const brought = fromCaller === true ? older.filter((part): part is ConversationMessage => !isStayed(part)) : [];
  return [...brought.slice(sharedBeginning(brought, messages)), ...added];
}

/** Number of leading messages that two conversations share, up to a user message: a turn is never split. */
function sharedBeginning(some: readonly ConversationMessage[], others: readonly ConversationMessage[]): number {
  const differs = some.findIndex((message, at) => JSON.stringify(message) !== JSON.stringify(others[at]));
  if (differs === -1) return some.length;
  return Math.max(
    0,
    some.slice(0, differs + 1).findLastIndex(({ role }) => role === "user"),
  );
}

function olderOf(part: RetainedRange | ConversationMessage, messages: ConversationMessage[]): ConversationMessage[] {
  return isStayed(part) ? messages.slice(...part) : [part];
}

function isStayed(part: RetainedRange | ConversationMessage | undefined): part is RetainedRange {
  return Array.isArray(part);
}

/** True if the parts retain all of the `count` messages. */
function areAll(parts: PersistedTurn["older"] & object, count: number): boolean {
  const [first, ...more] = parts;
  if (first === undefined) return count === 0;
  return more.length === 0 && isStayed(first) && first[0] === 0 && first[1] === count;
}

/**
 * Renames call ids that already occur in the conversation to which the messages are appended: their model did not know
 * that conversation, and services reject a conversation with a duplicate id.
 *
 * @param turn Its number: the same turn gets the same ids.
 */
function withUniqueCallIds(
  messages: readonly ConversationMessage[],
  conversation: readonly ConversationMessage[],
  turn: number,
): readonly ConversationMessage[] {
  const own = callIdsOf(messages);
  if (own.length === 0) return messages;
  const others = new Set(callIdsOf(conversation));
  const taken = new Set([...others, ...own]);
  const renamed = new Map<string, string>();
  for (const id of own) {
    if (!others.has(id)) continue;
    const stem = `call_turn${turn}_${renamed.size}`;
    let name = stem;
    for (let again = 2; taken.has(name); again++) name = `${stem}_${again}`;
    taken.add(name);
    renamed.set(id, name);
  }
  return renamed.size === 0 ? messages : messages.map((message) => renameCalls(message, renamed));
}

function callIdsOf(messages: readonly ConversationMessage[]): string[] {
  return messages.flatMap(({ role, content }) =>
    role === "assistant" ? content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : [])) : [],
  );
}

function renameCalls(message: ConversationMessage, names: ReadonlyMap<string, string>): ConversationMessage {
  const renamed = <Part extends object>(part: Part): Part => {
    const name = "toolCallId" in part ? names.get(String(part.toolCallId)) : undefined;
    return name === undefined ? part : { ...part, toolCallId: name };
  };
  if (message.role === "assistant") return { ...message, content: message.content.map(renamed) };
  return message.role === "tool" ? { ...message, content: message.content.map(renamed) } : message;
}
