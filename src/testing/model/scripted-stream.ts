import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { type Clock, sleep } from "../../base/index.ts";
import type { ScriptedPart } from "./scripted-response.ts";

/** Splits text into chunks as small as those that models send; characters stay whole. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/\S{1,8}\s*|\s+/gu) ?? [];
}

/** A stream of these parts, produced as it is read; it fails when the signal aborts, like that of a real client. */
export function streamOf(
  parts: readonly ScriptedPart[],
  { clock, signal, pieceDelayMs = 0 }: { clock: Clock; signal: AbortSignal | undefined; pieceDelayMs?: number },
): ReadableStream<LanguageModelV4StreamPart> {
  const left = new AbortController();
  const over = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]);
  let at = 0;
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        // Returns at the end of the list, or when a part has been enqueued.
        for (;;) {
          over.throwIfAborted();
          if (at === parts.length) return controller.close();
          // Not undefined: the index is within the list.
          const part = parts[at++] as ScriptedPart;
          if (part instanceof Error) throw part;
          if (part.type !== "pause") {
            if (pieceDelayMs > 0 && at > 1) await wait(clock, pieceDelayMs, over);
            return controller.enqueue(part);
          }
          await wait(clock, part.ms, over);
        }
      },
      cancel: (reason) => left.abort(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Waits this long, forever if `Infinity`; throws as soon as the signal aborts. */
export async function wait(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms === Infinity) return waitForAbort(signal);
  await sleep(clock, ms, signal);
}

/** Throws as soon as the signal aborts; without a signal, never resolves. */
export async function waitForAbort(signal: AbortSignal | undefined): Promise<never> {
  signal?.throwIfAborted();
  const over = Promise.withResolvers<never>();
  signal?.addEventListener("abort", () => over.reject(signal.reason), { once: true });
  return over.promise;
}
