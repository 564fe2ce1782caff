import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import { type Clock, fail } from "../../base/index.ts";
import { BrokenStream } from "../explain-error.ts";
import { type AnswerEnd, endOf } from "./answer-end.ts";
import { argumentsText, textOf } from "./read-answer.ts";
import type { TurnBuilder } from "./turn-builder.ts";

/** How long a stream may take. */
export interface StreamLimits {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly idleMs?: number | undefined;
}

/** Reads an answer that comes in pieces, to its end. Whatever ends it earlier is thrown. */
export async function readStream(
  { stream }: LanguageModelV4StreamResult,
  builder: TurnBuilder,
  limits: StreamLimits,
): Promise<AnswerEnd> {
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
      if (done) throw brokenOff();
      idle.moved();
      if (part.type === "error") throw new BrokenStream(part.error);
      if (part.type === "finish") return endOf(part);
      take(part, builder);
    }
  } finally {
    idle.end();
    limits.signal.removeEventListener("abort", onAbort);
    // A part behind the end concerns nobody; the connection is let go of.
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
  // A tool that the service runs by itself is none of ours, and its deltas find no call.
  if ("providerExecuted" in part && part.providerExecuted) return;
  if (part.type === "tool-input-start") builder.beginCall(textOf(part.id), part.toolName, part.providerMetadata);
  else if (part.type === "tool-input-delta") builder.addToCall(textOf(part.id), part.delta);
  else if (part.type === "tool-call") {
    const { toolCallId: id, toolName: name, providerMetadata: metadata } = part;
    builder.completeCall({ id: textOf(id), name: textOf(name), input: argumentsText(part.input), metadata });
  }
}

function brokenOff(): Error {
  return new BrokenStream(new Error("the stream ended before the answer did"));
}

interface IdleWatch {
  moved(): void;
  /** Throws where the stream was silent for too long. */
  check(): void;
  end(): void;
}

/** Counts from the first piece on: before it, a model may think for as long as the whole time allows. */
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
    late = fail(`it said nothing more for ${Number(idleMs) / 1000} s`, { code: "timeout" });
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
