import type { Span } from "@opentelemetry/api";
import { isFailureError } from "../../base/index.ts";
import type { ModelCall, ModelTurn } from "../../model/index.ts";
import type { Redactor } from "../../text/index.ts";
import { isOk } from "../../tool/index.ts";
import { type Message, outputMessage, toMessages } from "./messages.ts";

/** An attribute is no place for a whole file. */
const mostChars = 32_000;

/** Puts what was said and done into spans, secrets redacted. Only where somebody asked for it. */
export class CapturedContent {
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  tellArguments(span: Span, args: unknown): void {
    this.#tell(span, "gen_ai.tool.call.arguments", args);
  }

  /** What a handler returned, now or later; what it failed with is told by the event of its end. */
  tellReturned(span: Span, returned: unknown): void {
    if (returned instanceof Promise) {
      // Heard before the engine hears of it, so while the span is open.
      returned.then(
        (value: unknown) => this.#tellOutput(span, value),
        () => undefined,
      );
    } else this.#tellOutput(span, returned);
  }

  tellQuestion(span: Span, question: string): void {
    this.#tell(span, "gen_ai.input.messages", [said("user", question)]);
  }

  tellAnswer(span: Span, answer: string): void {
    this.#tell(span, "gen_ai.output.messages", [{ ...said("assistant", answer), finish_reason: "stop" }]);
  }

  tellPrompt(span: Span, prompt: ModelCall["prompt"]): void {
    const { system, messages } = toMessages(prompt);
    if (system.length > 0) this.#tell(span, "gen_ai.system_instructions", system);
    this.#tell(span, "gen_ai.input.messages", messages);
  }

  tellTurn(span: Span, turn: ModelTurn): void {
    this.#tell(span, "gen_ai.output.messages", [outputMessage(turn)]);
  }

  #tellOutput(span: Span, value: unknown): void {
    if (isFailureError(value)) return;
    this.#tell(span, "gen_ai.tool.call.result", isOk(value) ? value.output : value);
  }

  #tell(span: Span, name: string, value: unknown): void {
    if (!span.isRecording()) return;
    const text = asJson(this.#redactor.value(value));
    span.setAttribute(name, text.length > mostChars ? `${text.slice(0, mostChars)}…` : text);
  }
}

function said(role: string, content: string): Message {
  return { role, parts: [{ type: "text", content }] };
}

/** A handler may return what is no JSON; the engine says so to its caller. */
function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}
