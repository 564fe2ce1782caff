import type { AgentRun } from "../run/agent-run.ts";
import type { Talk } from "./converse.ts";
import type { ConversationMessage } from "../message.ts";
import { handleOf } from "./result-part.ts";
import { TalkMeter, resultText, sizeOf, sizeOfAll } from "./talk-meter.ts";

/** From this part of the context on, older results are cleared. */
const fullAt = 0.75;
/** Results of the last rounds stay. */
const keptRounds = { usual: 2, more: 1 } as const;
/** What is shorter is not worth it. */
const shortest = 400;

/**
 * Clears old tool results where a request comes near the limit of the context: each call keeps its result message, the
 * thoughts and signatures of the model stay as they are, and what was cleared says so and how to get it back. True when
 * something was cleared. What it does depends only on what the run knows from its journal.
 */
export function makeRoom(run: AgentRun, talk: Talk, how: "usual" | "more"): boolean {
  const { messages } = talk;
  const room = roomFor(run, talk);
  let size = sizeOfAll(messages);
  const most = how === "more" ? Math.min(size, room) / 2 : room;
  let cleared = false;
  for (const index of clearable(messages, keptRounds[how])) {
    const before = messages[index] as ConversationMessage;
    const after = withoutResults(run, before);
    if (after === before) continue;
    messages[index] = after;
    cleared = true;
    size -= sizeOf(before) - sizeOf(after);
    if (size <= most) break;
  }
  if (cleared) TalkMeter.of(talk).changed();
  return cleared;
}

/** Is a conversation short enough to be sent as it is? */
export function fits(run: AgentRun, talk: Talk): boolean {
  return TalkMeter.of(talk).isWithin(roomFor(run, talk), talk);
}

/** How many tokens the messages may take, by estimate. */
export function roomFor({ spec }: AgentRun, talk: Talk): number {
  return spec.contextTokens * fullAt - TalkMeter.of(talk).before - (talk.tools?.tokens ?? 0);
}

/** Places of tool messages, the oldest first, without those of the last rounds. */
function clearable(messages: readonly ConversationMessage[], kept: number): number[] {
  const places = messages.flatMap(({ role }, index) => (role === "tool" ? [index] : []));
  return places.slice(0, Math.max(0, places.length - kept));
}

function withoutResults({ made }: AgentRun, message: ConversationMessage): ConversationMessage {
  if (message.role !== "tool") return message;
  let changed = false;
  const content = message.content.map((part) => {
    const text = part.type === "tool-result" ? resultText(part) : undefined;
    if (part.type !== "tool-result" || text === undefined || text.length < shortest) return part;
    changed = true;
    made.forgetResult(part.toolCallId);
    return { ...part, output: { type: "text" as const, value: clearedText(text, handleOf(part)) } };
  });
  return changed ? { ...message, content } : message;
}

function clearedText({ length }: string, handle: string | undefined): string {
  const back =
    handle === undefined ? "call the tool again if you need it" : `read_result {"handle":"${handle}"} gives it again`;
  return `[cleared to make room: ${length} characters; ${back}]`;
}
