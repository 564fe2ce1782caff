import type { ConversationMessage } from "./message.ts";

/** Where a runner puts what others wrote behind a question; see `fenceData`. */
const fence = /^<data-[0-9a-f]{12} name=/mu;

/** Does a conversation hold text from outside: results of tools, or what was put behind a question? */
export function holdsOutside(messages: readonly ConversationMessage[]): boolean {
  return messages.some(({ role, content }) => {
    if (role === "tool") return true;
    return role === "user" && content.some((part) => part.type === "text" && fence.test(part.text));
  });
}
