import { fail } from "../base/index.ts";
import type { ConversationMessage } from "./message.ts";
import { unpairedCall } from "./unpaired-call.ts";

/** Refuses what is no conversation, such as messages in the form of another library, before anything is begun with it. */
export function checkHistory(history: readonly ConversationMessage[]): void {
  // It comes from callers that need not be checked by a compiler.
  const problem = Array.isArray(history)
    ? (history.map(problemOf).find((found) => found !== undefined) ?? unpairedCall(history))
    : "is no list";
  if (problem === undefined) return;
  throw fail(`history ${problem}; give the messages of an earlier result`, { code: "validation_error" });
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
