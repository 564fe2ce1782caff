import { describe, expect, test } from "vitest";
import { fail, isFailureError } from "../../../base/index.ts";
import { callWithElicitation } from "./call-with-elicitation.ts";
import { mcpFailure } from "./mcp-reasons.ts";

/** Makes a call to a server that gives these responses; an error among them is thrown. */
async function make(answers: readonly unknown[], elicit?: () => Promise<never>): Promise<unknown> {
  const left = [...answers];
  const call = callWithElicitation({
    server: "s",
    call: { signal: new AbortController().signal, ...(elicit !== undefined && { elicit }) },
    maxRounds: 3,
    send: async () => {
      const next = left.shift();
      if (next instanceof Error) throw next;
      return next as Record<string, unknown>;
    },
    wait: async () => {},
    log: () => {},
  });
  return call.catch((error: unknown) => (isFailureError(error) ? error.toFailure() : error));
}

const waits = { resultType: "input_required", requestState: "1" };
const notSent = mcpFailure("not_sent", "ended; it wrote: key", { forModel: "ended" });

describe("a failure", () => {
  test("a failure before the first response is reported unchanged: nothing was done", async () => {
    expect(await make([notSent])).toMatchObject({ reason: "not_sent", retry: "safe" });
  });

  test.each([
    [notSent, { reason: "connection_lost", message: "ended; it wrote: key", forModel: "ended" }],
    [mcpFailure("unreachable", "no route"), { reason: "connection_lost", message: "no route" }],
    [mcpFailure("busy", "later"), { reason: "busy" }],
    [mcpFailure("aborted", "cancelled", { retry: "safe" }), { code: "cancelled", reason: "aborted" }],
  ])("a failure after an elicitation does not claim that nothing was done: %#", async (error, reported) => {
    expect(await make([waits, error])).toMatchObject({ ...reported, retry: "unsafe" });
  });

  test("a failure after an elicitation is reported unchanged if it may never be retried", async () => {
    expect(await make([waits, mcpFailure("forbidden", "no")])).toMatchObject({ reason: "forbidden", retry: "never" });
  });

  test("a failure after an answer to an elicitation is not a connection failure, and the tool had started", async () => {
    const closed = fail("the database is closed", { code: "store_failed", reason: "not_sent", retry: "safe" });
    const requests = {
      resultType: "input_required",
      inputRequests: {
        a: {
          method: "elicitation/create",
          params: { message: "?", requestedSchema: { type: "object", properties: { a: { type: "string" } } } },
        },
      },
    };
    const reported = await make([requests], async () => {
      throw closed;
    });
    expect(reported).toMatchObject({ retry: "unsafe" });
    expect(reported).not.toMatchObject({ reason: "not_sent" });
  });

  test("a server that elicits without end is named", async () => {
    expect(await make([waits, waits, waits, waits])).toMatchObject({ reason: "too_many_elicitations" });
  });
});
