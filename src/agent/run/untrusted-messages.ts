import type { ConversationMessage } from "../events/message.ts";

/** Fence of untrusted content that a runner appends to a prompt; see `fenceData`. */
const fence = /^<data-[0-9a-f]{12} name=/mu;

/** Key that marks a message: the conversation up to it contains untrusted content. Clients ignore this key. */
const markKey = "windlass_outside";

/** Key that marks a message as a summary of the messages before it. Clients ignore this key as well. */
export const summaryKey = "windlass_summary";

/** True if a message is the summary of others. */
export function isSummary({ providerOptions }: ConversationMessage): boolean {
  return providerOptions?.[summaryKey] !== undefined;
}

/**
 * True if a conversation contains untrusted content: tool results, results appended to a prompt, or answers based on
 * them.
 */
export function hasUntrustedContent(messages: readonly ConversationMessage[]): boolean {
  return messages.some((message) => {
    if (message.role === "tool" || message.providerOptions?.[markKey] !== undefined) return true;
    // A summary is always fenced, and marked if it contains untrusted content.
    if (message.role !== "user" || isSummary(message)) return false;
    return message.content.some((part) => part.type === "text" && fence.test(part.text));
  });
}

/**
 * Marks the end of a conversation as untrusted: an answer or a summary may contain tool results without looking like
 * it.
 */
export function markUntrusted(messages: readonly ConversationMessage[]): readonly ConversationMessage[] {
  const last = messages.at(-1);
  if (last === undefined || last.providerOptions?.[markKey] !== undefined) return messages;
  const marked = { ...last, providerOptions: { ...last.providerOptions, [markKey]: { tainted: true } } };
  return [...messages.slice(0, -1), marked];
}
