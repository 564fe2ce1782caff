import { cutText, fenceData } from "../../text/index.ts";
import type { ConversationMessage, ToolResultPart } from "../message.ts";

/** Of one call or result. */
const longest = 4000;

/**
 * A conversation for a question without tools: services refuse calls in it where no tool is declared, so they are told
 * in words, each with what it gave. Messages without calls stay as they are.
 */
export function inWords(messages: readonly ConversationMessage[]): ConversationMessage[] {
  return messages.flatMap((message) => {
    if (message.role === "tool") return [gave(message)];
    if (message.role !== "assistant" || !message.content.some(({ type }) => type === "tool-call")) return [message];
    return said(message);
  });
}

type Of<Role extends ConversationMessage["role"]> = Extract<ConversationMessage, { role: Role }>;

/** Thoughts go with their calls: a signature without what it was made for is refused. */
function said({ content }: Of<"assistant">): ConversationMessage[] {
  const text = content
    .flatMap((part) => {
      if (part.type === "text") return part.text === "" ? [] : [part.text];
      return part.type === "tool-call" ? [`[called ${part.toolName} ${shortly(JSON.stringify(part.input))}]`] : [];
    })
    .join("\n");
  return text === "" ? [] : [{ role: "assistant", content: [{ type: "text", text }] }];
}

function gave({ content }: Of<"tool">): ConversationMessage {
  const texts = content.flatMap((part) =>
    part.type === "tool-result" ? [fenceData(part.toolName, shortly(textOf(part)))] : [],
  );
  return { role: "user", content: [{ type: "text", text: texts.join("\n") }] };
}

function textOf({ output }: ToolResultPart): string {
  return output.type === "text" || output.type === "error-text" ? output.value : JSON.stringify(output);
}

function shortly(text: string): string {
  return cutText(text, longest).text;
}
