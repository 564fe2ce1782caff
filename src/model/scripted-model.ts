import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { FinishReason, Model, ModelAnswer, ModelCall } from "./model.ts";

/** An answer in detail. */
export interface ScriptedText {
  readonly text: string;
  readonly finishReason?: FinishReason;
  /** 10 and 5 where absent; null for a server that does not count. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | null;
}

/** What a scripted model answers: a text, an object as JSON, an answer in detail, or an error that it throws. */
export type ScriptedAnswer = string | Error | ScriptedText | Readonly<Record<string, unknown>>;

/** A model that answers by a script, and remembers what it was asked. */
export interface ScriptedModel extends Model {
  readonly calls: readonly ModelCall[];
}

/**
 * A model for tests: it gives these answers one after another, or what a function makes of a call.
 *
 * @example
 * ```ts
 * const model = scriptedModel(["first answer", { score: 9 }]);
 * await generateText(model, { prompt: "…" }); // { text: "first answer", … }
 * ```
 */
export function scriptedModel(
  script: readonly ScriptedAnswer[] | ((call: ModelCall) => ScriptedAnswer | Promise<ScriptedAnswer>),
): ScriptedModel {
  const calls: ModelCall[] = [];
  const next = async (call: ModelCall): Promise<ScriptedText> => {
    calls.push(call);
    call.abortSignal?.throwIfAborted();
    const answer = typeof script === "function" ? await script(call) : script[calls.length - 1];
    if (answer === undefined)
      throw new Error(`the script has ${script.length} answers, and this is question ${calls.length}`);
    if (answer instanceof Error) throw answer;
    if (typeof answer === "string") return { text: answer };
    return isText(answer) ? answer : { text: JSON.stringify(answer) };
  };
  return {
    specificationVersion: "v4",
    provider: "script",
    modelId: "scripted",
    supportedUrls: {},
    calls,
    doGenerate: async (call) => toAnswer(await next(call)),
    doStream: async (call) => toStream(await next(call)),
  };
}

function isText(answer: object): answer is ScriptedText {
  return "text" in answer && typeof answer.text === "string";
}

function toAnswer({ text, finishReason = "stop", usage }: ScriptedText): ModelAnswer {
  return {
    content: [{ type: "text", text }],
    finishReason: { unified: finishReason, raw: finishReason },
    usage: toUsage(usage),
    warnings: [],
  };
}

function toUsage(usage: ScriptedText["usage"]): LanguageModelV4Usage {
  const { inputTokens, outputTokens } =
    usage === null
      ? { inputTokens: undefined, outputTokens: undefined }
      : (usage ?? { inputTokens: 10, outputTokens: 5 });
  return {
    inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: outputTokens, text: outputTokens, reasoning: undefined },
  };
}

function toStream({ text, finishReason = "stop", usage }: ScriptedText): LanguageModelV4StreamResult {
  const id = "1";
  const words = text.match(/\S+\s*|\s+/g) ?? [];
  const parts: LanguageModelV4StreamPart[] = [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id },
    ...words.map((delta) => ({ type: "text-delta" as const, id, delta })),
    { type: "text-end", id },
    { type: "finish", finishReason: { unified: finishReason, raw: finishReason }, usage: toUsage(usage) },
  ];
  return { stream: ReadableStream.from(parts) };
}
