import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import { type Clock, fail } from "../../base/index.ts";
import { BrokenStream } from "../errors/classify-model-error.ts";
import { type TurnEnd, toTurnEnd } from "../port/token-usage.ts";
import type { TurnBuilder } from "./turn-builder.ts";
import type { ModelGenerateResult } from "../port/model.ts";

/** Time limits of a stream. */
interface StreamLimits {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly idleMs?: number | undefined;
}

/** Reads a streaming response to its end. Throws the error that ends it early. */
export async function readStream(
  { stream }: LanguageModelV4StreamResult,
  builder: TurnBuilder,
  limits: StreamLimits,
): Promise<TurnEnd> {
  const reader = stream.getReader();
  const stop = (why: unknown): void => void reader.cancel(why).catch(() => {});
  const onAbort = (): void => stop(limits.signal.reason);
  const idle = watchIdle(limits, stop);
  limits.signal.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      const { value: part, done } = await reader.read().catch((error: unknown) => {
        idle.check();
        throw new BrokenStream(error);
      });
      idle.check();
      if (done) throw new BrokenStream(new Error("the stream ended before the response was complete"));
      idle.moved();
      if (part.type === "error") throw new BrokenStream(part.error);
      if (part.type === "finish") return toTurnEnd(part);
      take(part, builder);
    }
  } finally {
    idle.end();
    limits.signal.removeEventListener("abort", onAbort);
    // Parts after the end are ignored; the connection is released.
    stop(undefined);
  }
}

function take(part: LanguageModelV4StreamPart, builder: TurnBuilder): void {
  switch (part.type) {
    case "text-start":
      return builder.begin("text", part.id, part.providerMetadata);
    case "text-delta":
      return builder.add("text", part.id, { delta: part.delta, metadata: part.providerMetadata });
    case "text-end":
      return builder.end("text", part.id, part.providerMetadata);
    case "reasoning-start":
      return builder.begin("reasoning", part.id, part.providerMetadata);
    case "reasoning-delta":
      return builder.add("reasoning", part.id, { delta: part.delta, metadata: part.providerMetadata });
    case "reasoning-end":
      return builder.end("reasoning", part.id, part.providerMetadata);
    default:
      return takeCall(part, builder);
  }
}

function takeCall(part: LanguageModelV4StreamPart, builder: TurnBuilder): void {
  // A tool that the service executes itself is ignored, and its deltas match no call.
  if ("providerExecuted" in part && part.providerExecuted) return;
  if (part.type === "tool-input-start") builder.beginCall(textOrEmpty(part.id), part.toolName, part.providerMetadata);
  else if (part.type === "tool-input-delta") builder.addToCall(textOrEmpty(part.id), part.delta);
  else if (part.type === "tool-call") {
    const { toolCallId: id, toolName: name, providerMetadata: metadata } = part;
    builder.completeCall({ id: textOrEmpty(id), name: textOrEmpty(name), input: argumentsText(part.input), metadata });
  }
}

interface IdleWatch {
  moved(): void;
  /** Throws if the stream was silent for too long. */
  check(): void;
  end(): void;
}

/** Starts with the first chunk: before it, a model may think until the total timeout. */
function watchIdle({ clock, idleMs }: StreamLimits, stop: (why: unknown) => void): IdleWatch {
  if (idleMs === undefined) return { moved: () => {}, check: () => {}, end: () => {} };
  let movedAt: number | undefined;
  let timer = clock.after(idleMs, look);
  let late: Error | undefined;
  function look(): void {
    const leftMs = movedAt === undefined ? Number(idleMs) : movedAt + Number(idleMs) - clock.elapsed();
    if (leftMs > 0) {
      timer = clock.after(leftMs, look);
      return;
    }
    late = fail(`it sent nothing more for ${Number(idleMs) / 1000} s`, { code: "timeout" });
    stop(late);
  }
  return {
    moved: () => (movedAt = clock.elapsed()),
    check: () => {
      if (late !== undefined) throw late;
    },
    end: () => timer.cancel(),
  };
}

/** Reads a response that arrived as a whole. Missing fields count as unset. */
export function readGenerateResult(answer: ModelGenerateResult, builder: TurnBuilder): TurnEnd {
  for (const [index, part] of partsOf(answer).entries()) {
    if (part.type === "text" || part.type === "reasoning") {
      const key = String(index);
      builder.add(part.type, key, { delta: textOrEmpty(part.text), metadata: part.providerMetadata });
      builder.end(part.type, key);
    } else if (part.type === "tool-call" && part.providerExecuted !== true) {
      const { toolCallId: id, toolName: name, providerMetadata: metadata } = part;
      builder.completeCall({
        id: textOrEmpty(id),
        name: textOrEmpty(name),
        input: argumentsText(part.input),
        metadata,
      });
    }
  }
  return { ...toTurnEnd(answer), structuredText: answer.structuredOutputText };
}

function partsOf({ content }: { readonly content?: unknown }): ModelGenerateResult["content"] {
  if (!Array.isArray(content)) return [];
  // Callers check each part by its type and for missing fields.
  return content.filter((part: unknown) => typeof part === "object" && part !== null) as ModelGenerateResult["content"];
}

/** A value that should be text and may be missing. */
function textOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Some services send the arguments as an object, or nothing at all for a tool without parameters. */
function argumentsText(input: unknown): string {
  if (typeof input === "string") return input;
  return input === undefined || input === null ? "" : (JSON.stringify(input) ?? "");
}
