import { fail } from "../base/index.ts";
import type { ConversationMessage } from "./events/message.ts";

/** Rejects a value that is not a conversation, such as messages in another library's format, before a run starts. */
export function checkHistory(history: readonly ConversationMessage[]): void {
  // Callers in plain JavaScript are not checked by a compiler.
  const problem = Array.isArray(history)
    ? (history.map(problemOf).find((found) => found !== undefined) ?? unpairedCall(history))
    : "is not a list";
  if (problem === undefined) return;
  throw fail(`history ${problem}; pass the messages of an earlier result`, { code: "validation_error" });
}

function problemOf(message: unknown, index: number): string | undefined {
  const { role, content } = (message ?? {}) as { readonly role?: unknown; readonly content?: unknown };
  if (role === "system") return typeof content === "string" ? undefined : `[${index}].content must be text`;
  if (role !== "user" && role !== "assistant" && role !== "tool")
    return `[${index}].role must be system, user, assistant or tool`;
  return Array.isArray(content)
    ? undefined
    : `[${index}].content must be a list of parts, such as [{ type: "text", text: "…" }]`;
}

/** Describes a mismatch between the calls and results of a conversation that services would reject. */
function unpairedCall(history: readonly ConversationMessage[]): string | undefined {
  /** Calls without a result so far, with their index. */
  const open = new Map<string, number>();
  for (const [index, { role, content }] of history.entries()) {
    if (role === "user" && open.size > 0) break;
    for (const part of typeof content === "string" ? [] : content) {
      if (part.type === "tool-call") open.set(part.toolCallId, index);
      if (part.type === "tool-result" && !open.delete(part.toolCallId)) {
        return `[${index}] has a result of ${JSON.stringify(part.toolCallId)}, but no earlier message has that call`;
      }
    }
  }
  const [first] = open;
  return first && `[${first[1]}] has the call ${JSON.stringify(first[0])}, but no later message has its result`;
}
