import { createInterface } from "node:readline";
import type { LineInput } from "./line-input.ts";

/** Lines that come from a file or from another program, one after the other. */
export function pipedInput(input: NodeJS.ReadableStream = process.stdin): LineInput {
  const reader = createInterface({ input, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  return {
    next: async (signal) => {
      const stopped = Promise.withResolvers<undefined>();
      const stop = (): void => stopped.resolve(undefined);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      try {
        const next = await Promise.race([lines.next(), stopped.promise]);
        return next === undefined || next.done === true ? { kind: "end" } : { kind: "line", text: next.value };
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
    close: () => reader.close(),
  };
}
