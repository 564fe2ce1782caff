import { describe, expect, test } from "vitest";
import { fail, isFailureError } from "../../../base/index.ts";
import { callWithQuestions } from "./call-with-questions.ts";
import { mcpFailure } from "./mcp-reasons.ts";

/** Makes a call of a server that gives these answers; one that is an error is thrown. */
async function make(answers: readonly unknown[], elicit?: () => Promise<never>): Promise<unknown> {
  const left = [...answers];
  const call = callWithQuestions({
    server: "s",
    call: { signal: new AbortController().signal, ...(elicit !== undefined && { elicit }) },
    mostRounds: 3,
    send: async () => {
      const next = left.shift();
      if (next instanceof Error) throw next;
      return next as Record<string, unknown>;
    },
    wait: async () => {},
    tell: () => {},
  });
  return call.catch((error: unknown) => (isFailureError(error) ? error.toFailure() : error));
}

const waits = { resultType: "input_required", requestState: "1" };
const notSent = mcpFailure("not_sent", "ended; it wrote: key", { forModel: "ended" });

describe("what goes wrong", () => {
  test("before the first answer is told as it is: nothing was done", async () => {
    expect(await make([notSent])).toMatchObject({ reason: "not_sent", retry: "safe" });
  });

  test.each([
    [notSent, { reason: "connection_lost", message: "ended; it wrote: key", forModel: "ended" }],
    [mcpFailure("unreachable", "no route"), { reason: "connection_lost", message: "no route" }],
    [mcpFailure("busy", "later"), { reason: "busy" }],
    [mcpFailure("aborted", "cancelled", { retry: "safe" }), { code: "cancelled", reason: "aborted" }],
  ])("after a question does not say that nothing was done: %#", async (error, told) => {
    expect(await make([waits, error])).toMatchObject({ ...told, retry: "unsafe" });
  });

  test("after a question, and may not be tried at all, is told as it is", async () => {
    expect(await make([waits, mcpFailure("forbidden", "no")])).toMatchObject({ reason: "forbidden", retry: "never" });
  });

  test("with an answer to a question is no failure of the connection, and the tool had begun", async () => {
    const closed = fail("the database is closed", { code: "store_failed", reason: "not_sent", retry: "safe" });
    const asks = {
      resultType: "input_required",
      inputRequests: {
        a: {
          method: "elicitation/create",
          params: { message: "?", requestedSchema: { type: "object", properties: { a: { type: "string" } } } },
        },
      },
    };
    const told = await make([asks], async () => {
      throw closed;
    });
    expect(told).toMatchObject({ retry: "unsafe" });
    expect(told).not.toMatchObject({ reason: "not_sent" });
  });

  test("with a server that asks without end is named", async () => {
    expect(await make([waits, waits, waits, waits])).toMatchObject({ reason: "too_many_questions" });
  });
});
