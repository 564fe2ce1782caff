import type { ConversationMessage } from "../message.ts";

/** Where a runner puts what others wrote behind a question; see `fenceData`. */
const fence = /^<data-[0-9a-f]{12} name=/mu;

/** Where a message says that the conversation up to it holds text from outside. No client reads this key of a message. */
const markKey = "windlass_outside";

/** Where a message says that it is a summary of what was said before it. No client reads this key, either. */
export const summaryKey = "windlass_summary";

/** Is a message the summary of others? */
export function isSummary({ providerOptions }: ConversationMessage): boolean {
  return providerOptions?.[summaryKey] !== undefined;
}

/** Does a conversation hold text from outside: results of tools, what was put behind a question, or what came of it? */
export function holdsOutside(messages: readonly ConversationMessage[]): boolean {
  return messages.some((message) => {
    if (message.role === "tool" || message.providerOptions?.[markKey] !== undefined) return true;
    // A summary is fenced in any case, and marked where it holds such text.
    if (message.role !== "user" || isSummary(message)) return false;
    return message.content.some((part) => part.type === "text" && fence.test(part.text));
  });
}

/** The conversation with a mark at its end: an answer or a summary holds what tools gave, and does not look like it. */
export function markOutside(messages: readonly ConversationMessage[]): readonly ConversationMessage[] {
  const last = messages.at(-1);
  if (last === undefined || last.providerOptions?.[markKey] !== undefined) return messages;
  const marked = { ...last, providerOptions: { ...last.providerOptions, [markKey]: { tainted: true } } };
  return [...messages.slice(0, -1), marked];
}
