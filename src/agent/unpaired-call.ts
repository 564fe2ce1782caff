import type { ConversationMessage } from "./message.ts";

/** What is wrong with how the calls and results of a conversation go together, where services would refuse to see it. */
export function unpairedCall(history: readonly ConversationMessage[]): string | undefined {
  /** Calls without a result so far, and where they are. */
  const open = new Map<string, number>();
  for (const [index, { role, content }] of history.entries()) {
    if (role === "user" && open.size > 0) break;
    for (const part of typeof content === "string" ? [] : content) {
      if (part.type === "tool-call") open.set(part.toolCallId, index);
      if (part.type === "tool-result" && !open.delete(part.toolCallId)) {
        return `[${index}] has a result of ${JSON.stringify(part.toolCallId)}, and no call before it is that`;
      }
    }
  }
  const [first] = open;
  return first && `[${first[1]}] has the call ${JSON.stringify(first[0])}, and no result of it follows`;
}
