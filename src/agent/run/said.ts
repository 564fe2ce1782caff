import type { Turn } from "../../store/index.ts";
import type { ConversationMessage } from "../message.ts";
import { withOwnCallIds } from "./own-call-ids.ts";

/** What was said in a conversation, as far as somebody knows it. */
export interface Said {
  readonly messages: readonly ConversationMessage[];
  /** Text from outside has entered it. */
  readonly tainted: boolean;
  /** The last turn in the journal when this was looked up; 0 where there was none. */
  readonly turn: number;
  /** The turns of the journal up to that one tell these messages, so that a run need not keep them. */
  readonly isKept: boolean;
}

/** A conversation that begins. */
export const nothingSaid: Said = { messages: [], tainted: false, turn: 0, isKept: true };

/** Messages that stayed as they were: from one place up to another, that one not included. */
type Stayed = readonly [from: number, to: number];

/** A turn as the journal keeps it: what it adds, and what it made of the messages before where they did not all stay. */
interface KeptTurn {
  readonly older?: readonly (Stayed | ConversationMessage)[];
  /** The messages before were given to its run from elsewhere: no other turn tells them. */
  readonly given?: true;
  readonly added: readonly ConversationMessage[];
  readonly tainted?: true;
}

/** After this turn nothing was said. */
export const clearingTurn: string = JSON.stringify({ older: [], added: [] } satisfies KeptTurn);

/** A turn that is all that was said. As the first it is that; where there are others already, it is nothing. */
export function firstTurn({ messages, tainted }: Pick<Said, "messages" | "tainted">): Pick<Turn, "after" | "data"> {
  const turn: KeptTurn = { older: messages, added: [], ...(tainted && { tainted: true }) };
  return { after: 0, data: JSON.stringify(turn) };
}

/**
 * What a run makes of its conversation, for the journal. Messages that are those it began with, by identity, are not
 * written again, unless they were given to it from elsewhere.
 *
 * @param before What the run began with.
 * @param after All that is said now.
 */
export function writeTurn(
  before: Pick<Said, "messages" | "isKept">,
  after: Pick<Said, "messages" | "tainted">,
): string {
  const places = new Map(before.messages.map((message, index) => [message, index]));
  // Old results may be cleared, and a summary may stand for the beginning; what comes behind all that was there is new.
  const end = after.messages.findLastIndex((message) => places.has(message)) + 1;
  const older: (Stayed | ConversationMessage)[] = [];
  for (const message of after.messages.slice(0, end)) {
    const at = before.isKept ? places.get(message) : undefined;
    const last = older.at(-1);
    if (at === undefined) older.push(message);
    else if (isStayed(last) && last[1] === at) older[older.length - 1] = [last[0], at + 1];
    else older.push([at, at + 1]);
  }
  const turn: KeptTurn = {
    ...(!(before.isKept && areAll(older, before.messages.length)) && { older }),
    ...(!before.isKept && { given: true }),
    added: after.messages.slice(end),
    ...(after.tainted && { tainted: true }),
  };
  return JSON.stringify(turn);
}

/**
 * A conversation with the turns that came next. One whose run did not know of the turn before it, since both were asked
 * at the same time, adds what is its own: what it made of older messages it made of others.
 * The same turns give the same conversation, however often it was looked up between them.
 */
export function afterTurns(said: Said, turns: readonly Turn[]): Said {
  let messages = [...said.messages];
  let { tainted, turn } = said;
  for (const { number, after, data } of turns) {
    // Written by this module.
    const kept = JSON.parse(data) as KeptTurn;
    const follows = after === turn;
    if (follows && kept.older !== undefined) messages = kept.older.flatMap((part) => olderOf(part, messages));
    const added = follows ? kept.added : withOwnCallIds(ownOf(kept, messages), messages, number);
    for (const message of added) messages.push(message);
    tainted = kept.tainted === true || (!follows && tainted);
    turn = number;
  }
  return { messages, tainted, turn, isKept: said.isKept };
}

/** What a turn brings that a conversation does not have which it knows nothing of. */
function ownOf(
  { older = [], given, added }: KeptTurn,
  messages: readonly ConversationMessage[],
): ConversationMessage[] {
  const brought = given === true ? older.filter((part): part is ConversationMessage => !isStayed(part)) : [];
  return [...brought.slice(sharedBeginning(brought, messages)), ...added];
}

/** How many messages two conversations begin with alike, up to a question: what comes of one is not torn apart. */
function sharedBeginning(some: readonly ConversationMessage[], others: readonly ConversationMessage[]): number {
  const differs = some.findIndex((message, at) => JSON.stringify(message) !== JSON.stringify(others[at]));
  if (differs === -1) return some.length;
  return Math.max(
    0,
    some.slice(0, differs + 1).findLastIndex(({ role }) => role === "user"),
  );
}

function olderOf(part: Stayed | ConversationMessage, messages: ConversationMessage[]): ConversationMessage[] {
  return isStayed(part) ? messages.slice(...part) : [part];
}

function isStayed(part: Stayed | ConversationMessage | undefined): part is Stayed {
  return Array.isArray(part);
}

/** Do the parts say that all messages stayed, of which there are so many? */
function areAll(parts: KeptTurn["older"] & object, count: number): boolean {
  const [first, ...more] = parts;
  if (first === undefined) return count === 0;
  return more.length === 0 && isStayed(first) && first[0] === 0 && first[1] === count;
}
