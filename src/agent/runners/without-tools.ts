import { isFailureError } from "../../base/index.ts";
import { cutText, fenceData } from "../../text/index.ts";
import type { ConversationMessage } from "../message.ts";
import { gatheredFrom } from "./gathered.ts";

/** Does a service say that the model takes no tools? There is no code for it, only words. */
export function refusesTools(error: unknown): boolean {
  if (!isFailureError(error) || error.reason !== "provider_error") return false;
  const said = error.message.replace(modelName, "");
  return error.toFailure().retry === "never" && /(?<![\w-])tools?\b|\btool_choice\b|\bfunction[ _-]?call/i.test(said);
}

/** A model may be named for its tools, as `llama3-groq-tool-use` is; that says nothing of what its service takes. */
const modelName = /^the model "(?:[^"\\]|\\.)*"/;

/** Does a service not understand what it was sent? Who else refuses has the same reason, and other words. */
export function refusesRequest(error: unknown): boolean {
  return isFailureError(error) && error.reason === "provider_error" && / answered (?:400|422): /.test(error.message);
}

const longestInput = 500;

/** A conversation for a model that takes no tools: calls and results in words, everything else as it was. */
export function withoutTools(messages: readonly ConversationMessage[]): ConversationMessage[] {
  return messages.map((message) => {
    if (message.role === "tool") return resultsInWords(message);
    return message.role === "assistant" ? callsInWords(message) : message;
  });
}

type Of<Role> = Extract<ConversationMessage, { role: Role }>;

function callsInWords(message: Of<"assistant">): ConversationMessage {
  if (!message.content.some(({ type }) => type === "tool-call")) return message;
  const content = message.content.flatMap((part): Of<"assistant">["content"] => {
    if (part.type !== "tool-call") return part.type === "reasoning" ? [] : [part];
    const input = cutText(JSON.stringify(part.input), longestInput, { at: "character" }).text;
    return [{ type: "text", text: `[I called ${part.toolName} with ${input}.]` }];
  });
  return { role: "assistant", content };
}

function resultsInWords({ content }: Of<"tool">): ConversationMessage {
  const texts = content.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const { tool, text } = gatheredFrom(part);
    return [fenceData(tool, text)];
  });
  return { role: "user", content: [{ type: "text", text: texts.join("\n\n") }] };
}
