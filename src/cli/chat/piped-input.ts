import { isUtf8 } from "node:buffer";
import { createInterface } from "node:readline";
import { notText } from "../not-text.ts";
import type { LineInput, Typed } from "./line-input.ts";

/** Lines that come from a file or from another program, one after the other. */
export function pipedInput(input: NodeJS.ReadableStream = process.stdin): LineInput {
  // A character for each byte: whether a line is text is seen from its bytes.
  const reader = createInterface({ input: input.setEncoding("latin1"), terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  let count = 0;
  return {
    next: async (signal) => {
      const stopped = Promise.withResolvers<undefined>();
      const stop = (): void => stopped.resolve(undefined);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      try {
        const next = await Promise.race([lines.next(), stopped.promise]);
        if (next === undefined || next.done === true) return { kind: "end" };
        return readLine(Buffer.from(next.value, "latin1"), `line ${++count} of stdin`);
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
    close: () => reader.close(),
  };
}

/** Throws for what is no text at all: a picture has lines as well, and each would be a question. */
function readLine(bytes: Buffer, what: string): Typed {
  if (bytes.includes(0)) throw notText(what);
  return isUtf8(bytes) ? { kind: "line", text: bytes.toString("utf8") } : { kind: "unreadable", what };
}
