import { imagesOf, withoutImages } from "../../model/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import type { LoopConversation } from "./agent-loop.ts";
import type { ConversationMessage } from "../events/message.ts";
import { resultHandleOf } from "./tool-result-part.ts";
import { ConversationMeter, resultText, sizeOfMessage, sizeOfMessages } from "./conversation-meter.ts";

/** Share of the context window from which older results are cleared. */
const fullAt = 0.75;
/** Number of last rounds whose results stay. */
const retainedRounds = { default: 2, more: 1 } as const;
/** Shorter results are not worth clearing. */
const shortest = 400;

/**
 * Clears old tool results if a request approaches the limit of the context window: each call keeps its result message,
 * the reasoning and signatures of the model stay unchanged, and a cleared result says so and how to get it back. True
 * if something was cleared. Depends only on data from the journal.
 */
export function clearOldResults(run: AgentRun, conversation: LoopConversation, how: "default" | "more"): boolean {
  const { messages } = conversation;
  const room = availableTokens(run, conversation);
  let size = sizeOfMessages(messages);
  const limit = how === "more" ? Math.min(size, room) / 2 : room;
  let cleared = false;
  for (const index of clearable(messages, retainedRounds[how])) {
    const before = messages[index] as ConversationMessage;
    const after = withoutResults(run, before);
    if (after === before) continue;
    messages[index] = after;
    cleared = true;
    size -= sizeOfMessage(before) - sizeOfMessage(after);
    if (size <= limit) break;
  }
  if (cleared) ConversationMeter.of(conversation).changed();
  return cleared;
}

/** Removes the images of tools from a conversation. True if there were any. */
export function removeImages(conversation: LoopConversation): boolean {
  const { messages } = conversation;
  let removed = false;
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool" && message.content.some((part) => imagesOf(part).length > 0)) {
      messages[index] = { ...message, content: message.content.map(withoutImages) };
    } else if (message.role === "user" && message.content.some((part) => imagesOf(part).length > 0)) {
      messages[index] = { ...message, content: message.content.map(withoutImages) };
    } else continue;
    removed = true;
  }
  if (removed) ConversationMeter.of(conversation).changed();
  return removed;
}

/** True if a conversation is short enough to be sent unchanged. */
export function fitsContextWindow(run: AgentRun, conversation: LoopConversation): boolean {
  return ConversationMeter.of(conversation).isWithin(availableTokens(run, conversation), conversation);
}

/** Estimated number of tokens that the messages may take. */
export function availableTokens({ spec }: AgentRun, conversation: LoopConversation): number {
  return spec.contextTokens * fullAt - ConversationMeter.of(conversation).before - (conversation.tools?.tokens ?? 0);
}

/** Indexes of tool messages, the oldest first, without those of the last rounds. */
function clearable(messages: readonly ConversationMessage[], stored: number): number[] {
  const positions = messages.flatMap(({ role }, index) => (role === "tool" ? [index] : []));
  return positions.slice(0, Math.max(0, positions.length - stored));
}

function withoutResults({ callHistory }: AgentRun, message: ConversationMessage): ConversationMessage {
  if (message.role !== "tool") return message;
  let changed = false;
  const content = message.content.map((part) => {
    const text = part.type === "tool-result" ? resultText(part) : undefined;
    if (part.type !== "tool-result" || text === undefined) return part;
    if (text.length < shortest && imagesOf(part).length === 0) return part;
    changed = true;
    callHistory.forgetResult(part.toolCallId);
    const value = clearedText(text, resultHandleOf(part));
    return { ...withoutImages(part), output: { type: "text" as const, value } };
  });
  return changed ? { ...message, content } : message;
}

function clearedText({ length }: string, handle: string | undefined): string {
  const back =
    handle === undefined ? "call the tool again if you need it" : `read_result {"handle":"${handle}"} gives it again`;
  return `[cleared to make room: ${length} characters; ${back}]`;
}
