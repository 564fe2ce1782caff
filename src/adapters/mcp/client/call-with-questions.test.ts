import { describe, expect, test } from "vitest";
import { callWithQuestions } from "./call-with-questions.ts";
import { mcpFailure } from "./mcp-reasons.ts";

/** Makes a call of a server that gives these answers; one that is an error is thrown. */
function make(...answers: readonly unknown[]): Promise<unknown> {
  const left = [...answers];
  return callWithQuestions({
    server: "s",
    call: { signal: new AbortController().signal },
    mostRounds: 3,
    send: async () => {
      const next = left.shift();
      if (next instanceof Error) throw next;
      return next as Record<string, unknown>;
    },
    wait: async () => {},
    tell: () => {},
  });
}

const closed = mcpFailure("closed", "the connection is closed");

describe("a connection that is over", () => {
  test("before the first request: nothing was sent", async () => {
    await expect(make(closed)).rejects.toMatchObject({ reason: "closed" });
  });

  test("between two requests of one call: the tool may have begun", async () => {
    await expect(make({ resultType: "input_required", requestState: "1" }, closed)).rejects.toMatchObject({
      reason: "connection_lost",
      message: "the connection is closed",
    });
  });
});
