import type { Conversation } from "./conversation.ts";

/** The id of a tool call, from the one that came with it and its place in the answer. */
export type CallIds = (given: string, index: number) => string;

/**
 * Ids that nobody else has in the conversation as far as the question tells it: those that came, where they are new, and
 * otherwise ones that are made of the number of the turn and the call's place, so that the same answer gets the same ids.
 */
export function createCallIds(conversation: Conversation, turn?: string | number): CallIds {
  const fresh = new Set<string>();
  return (given, index) => {
    let id = given.trim();
    const isTaken = (): boolean => id === "" || fresh.has(id) || conversation.has(id);
    if (isTaken()) {
      const stem = `call_${turn ?? conversation.answers}_${index}`;
      id = stem;
      for (let again = 2; isTaken(); again++) id = `${stem}_${again}`;
    }
    fresh.add(id);
    return id;
  };
}
