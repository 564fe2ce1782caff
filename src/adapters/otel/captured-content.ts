import type { Span } from "@opentelemetry/api";
import { isFailureError, orElse } from "../../base/index.ts";
import type { ModelCall, ModelTurn, TurnPart } from "../../model/index.ts";
import type { Redactor } from "../../secrets/index.ts";
import { isOk } from "../../tool/index.ts";

/** Maximum length of an attribute. */
const maxChars = 32_000;

/** Records messages, arguments and outputs in spans, with secrets redacted. Only used if `captureContent` is set. */
export class CapturedContent {
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  recordArguments(span: Span, args: unknown): void {
    this.#record(span, "gen_ai.tool.call.arguments", args);
  }

  /** Records the return value of a handler, also of an async one; a failure is reported by the end event. */
  recordOutput(span: Span, returned: unknown): void {
    if (returned instanceof Promise) {
      // This callback runs before the engine's, while the span is open.
      returned.then(
        (value: unknown) => this.#recordOutput(span, value),
        () => undefined,
      );
    } else this.#recordOutput(span, returned);
  }

  recordPrompt(span: Span, prompt: string): void {
    this.#record(span, "gen_ai.input.messages", [textMessagePart("user", prompt)]);
  }

  recordAnswer(span: Span, answer: string): void {
    this.#record(span, "gen_ai.output.messages", [{ ...textMessagePart("assistant", answer), finish_reason: "stop" }]);
  }

  recordModelPrompt(span: Span, prompt: ModelCall["prompt"]): void {
    const { system, messages } = toMessages(prompt);
    if (system.length > 0) this.#record(span, "gen_ai.system_instructions", system);
    this.#record(span, "gen_ai.input.messages", messages);
  }

  recordTurn(span: Span, turn: ModelTurn): void {
    this.#record(span, "gen_ai.output.messages", [outputMessage(turn)]);
  }

  #recordOutput(span: Span, value: unknown): void {
    if (isFailureError(value)) return;
    this.#record(span, "gen_ai.tool.call.result", isOk(value) ? value.output : value);
  }

  #record(span: Span, name: string, value: unknown): void {
    if (!span.isRecording()) return;
    // A handler may return a value that is not JSON; the engine reports that to its caller.
    const redacted = this.#redactor.value(value);
    const text = orElse(() => JSON.stringify(redacted) ?? "", "");
    span.setAttribute(name, text.length > maxChars ? `${text.slice(0, maxChars)}…` : text);
  }
}

function textMessagePart(role: string, content: string): OtelMessage {
  return { role, parts: [{ type: "text", content }] };
}

/** A part of a message, in the form of the semantic conventions. */
type OtelMessagePart =
  | { readonly type: "text" | "reasoning"; readonly content: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly arguments: unknown }
  | { readonly type: "tool_call_response"; readonly id: string; readonly response: unknown }
  | { readonly type: "blob"; readonly mime_type: string };

/** A message, in the form of the semantic conventions. */
interface OtelMessage {
  readonly role: string;
  readonly parts: readonly OtelMessagePart[];
}

type Prompted = ModelCall["prompt"][number];
type PromptedPart = Exclude<Prompted["content"], string>[number];

/** Splits a prompt into system instructions and messages. */
function toMessages(prompt: ModelCall["prompt"]): {
  readonly system: readonly OtelMessagePart[];
  readonly messages: readonly OtelMessage[];
} {
  const system: OtelMessagePart[] = [];
  const messages: OtelMessage[] = [];
  for (const message of prompt) {
    if (message.role === "system") system.push({ type: "text", content: message.content });
    else messages.push({ role: message.role, parts: message.content.flatMap(toPart) });
  }
  return { system, messages };
}

/** The response of a model. */
function outputMessage({ content, finishReason }: ModelTurn): OtelMessage & { readonly finish_reason: string } {
  const reason = finishReason === "tool-calls" ? "tool_call" : finishReason.replaceAll("-", "_");
  return { role: "assistant", parts: content.map(turnPart), finish_reason: reason };
}

function turnPart(part: TurnPart): OtelMessagePart {
  if (part.type !== "tool-call") return { type: part.type, content: part.text };
  return { type: "tool_call", id: part.id, name: part.name, arguments: part.input };
}

function toPart(part: PromptedPart): OtelMessagePart[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return [{ type: part.type, content: part.text }];
    case "tool-call":
      return [{ type: "tool_call", id: part.toolCallId, name: part.toolName, arguments: part.input }];
    case "tool-result":
      return [{ type: "tool_call_response", id: part.toolCallId, response: part.output }];
    case "file":
      // Only the type, not the content.
      return [{ type: "blob", mime_type: part.mediaType }];
    default:
      return [];
  }
}
