import type { ConversationMessage } from "../message.ts";

/**
 * Messages with other ids for the calls whose ids are in the conversation that they are put behind: whoever answered them
 * did not know of it, and services refuse a conversation that has an id twice.
 *
 * @param turn Its number: the same turn gets the same ids.
 */
export function withOwnCallIds(
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
