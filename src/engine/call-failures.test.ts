import { describe, expect, test } from "vitest";
import { z } from "zod";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { type FailureCode, failure, failureKinds } from "../base/index.ts";
import type { ToolError, ToolResult } from "../tool/index.ts";
import { createEngine } from "./engine.ts";
import { forConversation } from "./call-context.ts";

type Scenario = () => Promise<ToolResult>;

const never = (): Promise<never> => new Promise(() => {});
const echo = sampleTool((args) => args, { name: "echo" });
const once = sampleTool(() => "done", { name: "delete_all", effect: "once" });

/** One scenario for every failure of a call. */
const scenarios: Record<string, Scenario> = {
  tool_not_found: () => createEngine({ tools: [echo] }).call("ehco"),
  executor_not_found: () => {
    const broken = { ...echo, broken: failure("executor_not_found", "there is no executor named shout") };
    return createEngine().call(broken, {});
  },
  validation_error: () => {
    const tool = sampleTool(() => 1, { input: z.object({ limit: z.number().max(100) }) });
    return createEngine().call(tool, { limit: 200 });
  },
  permission_denied: () => createEngine({ permissions: { deny: ["delete_*"] } }).call(once, {}),
  approval_required: () => createEngine().call(once, {}, forConversation("agent", "c1")),
  rejected: async () => {
    const engine = createEngine({ concurrency: { maxConcurrent: 1, strategy: "reject" }, limits: { graceMs: 0 } });
    const stop = new AbortController();
    const first = engine.call(sampleTool(never), {}, { signal: stop.signal });
    const result = await engine.call(echo, {}, { maxRetries: 0 });
    stop.abort();
    await first;
    return result;
  },
  queue_timeout: async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock, concurrency: { maxConcurrent: 1, queueTimeoutMs: 50 } });
    void engine.call(sampleTool(never), {});
    const result = engine.call(echo, {});
    await clock.pass(50);
    return result;
  },
  cancelled: () => createEngine().call(echo, {}, { signal: AbortSignal.abort() }),
  timeout: async () => {
    const clock = new FakeClock();
    const result = createEngine({ clock }).call(
      sampleTool((_args, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject))),
      {},
      { timeoutMs: 1500 },
    );
    await clock.pass(1500);
    return result;
  },
  execution_error: () =>
    createEngine().call(
      sampleTool(() => {
        throw new Error("the disk is on fire");
      }),
      {},
      { maxRetries: 0 },
    ),
  not_available: () => createEngine({ disabledTools: ["echo"] }).call(echo, {}),
  output_invalid: () =>
    createEngine().call(
      sampleTool(() => ({ n: 1n })),
      {},
    ),
  engine_closed: async () => {
    const engine = createEngine();
    await engine.close();
    return engine.call(echo, {});
  },
};

/** Expected message for people, message for models, and retry verdict. */
const expected: Record<string, { message: string; forModel?: string; retry: string; reason?: string }> = {
  tool_not_found: {
    message: 'there is no tool named "ehco"; did you mean "echo"?',
    forModel: 'There is no tool named "ehco"; did you mean "echo"? Use one of the tools you were given.',
    retry: "never",
  },
  executor_not_found: { message: "there is no executor named shout", retry: "never" },
  validation_error: {
    message: "work: limit must be at most 100, got 200",
    forModel: "The arguments of work are not valid: limit must be at most 100, got 200. Correct them and call again.",
    retry: "never",
  },
  permission_denied: {
    message: 'delete_all may not be called here: the rule "delete_*" denies it',
    retry: "never",
    reason: "rule",
  },
  approval_required: {
    message: expect.stringMatching(
      /^delete_all waits for approval \S+; after that, make the same call again$/,
    ) as string,
    forModel: "A person has to approve this call of delete_all first. Do not repeat it until then.",
    retry: "safe",
  },
  rejected: { message: "all 1 slots are in use, and the queueing strategy is reject", retry: "safe" },
  queue_timeout: { message: "echo waited 50 ms for a free slot", retry: "safe" },
  cancelled: { message: "echo was cancelled", retry: "safe" },
  timeout: {
    message: "work did not finish within 1.5 s and was aborted",
    forModel: "work did not finish within 1.5 s. Request less work in one call, or continue without it.",
    retry: "safe",
  },
  execution_error: { message: "the disk is on fire", retry: "safe" },
  not_available: { message: "echo is switched off by disabled_tools", retry: "never" },
  output_invalid: {
    message: "the output of work is not JSON: Do not know how to serialize a BigInt",
    retry: "never",
    reason: "not_json",
  },
  engine_closed: { message: "the engine is closed and takes no new calls", retry: "safe" },
};

describe("[B08] every failure of a call", () => {
  const codes = (Object.keys(failureKinds) as FailureCode[]).filter((code) => failureKinds[code].area === "call");

  test("has a scenario here", () => {
    expect(Object.keys(scenarios).toSorted()).toEqual(codes.toSorted());
  });

  test.each(codes)("%s is a value with a code, messages and a retry verdict", async (code) => {
    const result = await scenarios[code]!();
    const { message, forModel = message, ...rest } = expected[code]!;
    expect(result).toMatchObject({ success: false, error: { code, message, forModel, ...rest } });
    const { queuedMs: _onlyIfItWaited, ...always } = result;
    expect(Object.keys(always).toSorted()).toEqual(["durationMs", "error", "executedAt", "meta", "success", "tool"]);
    expect(result.durationMs).toBeGreaterThanOrEqual(0);
    expect(result.meta).toMatchObject({ callId: expect.any(String), attempts: expect.any(Number) });
  });

  test("all issues of the arguments are reported at once", async () => {
    const tool = sampleTool(() => 1, { input: z.object({ a: z.string(), b: z.number() }) });
    const { error } = (await createEngine().call(tool, { b: "x" })) as ToolError;
    expect(error.issues?.map(({ path }) => path)).toEqual([["a"], ["b"]]);
    expect(error.message).toContain("; ");
  });

  test("[B06] a misspelled parameter is named with its correction", async () => {
    const tool = sampleTool(() => 1, { input: z.object({ expression: z.string() }) });
    const { error } = (await createEngine().call(tool, { expresion: "1" })) as ToolError;
    expect(error.forModel).toContain("expression");
    expect(error.forModel).toContain("expresion");
  });

  test("a name unlike any tool gets no suggestion, and a long name is truncated in the message", async () => {
    const engine = createEngine({ tools: [echo] });
    const odd = (await engine.call("zzzzzzzzz")) as ToolError;
    expect(odd.error.message).toBe('there is no tool named "zzzzzzzzz"');
    const long = (await engine.call("x".repeat(1_000_000))) as ToolError;
    expect(long.error.message.length).toBeLessThan(400);
    expect(long.error.forModel.length).toBeLessThan(400);
  });

  test("a call that no rule matches is denied with that explanation", async () => {
    const result = await createEngine({ permissions: { ask: [], allow: [] } }).call(echo, {});
    expect(result).toMatchObject({ error: { message: "echo may not be called here: no rule allows it" } });
  });

  test("a full queue reports its length", async () => {
    const engine = createEngine({ concurrency: { maxConcurrent: 1, queueSize: 0 } });
    void engine.call(sampleTool(never), {});
    expect(await engine.call(echo, {}, { maxRetries: 0 })).toMatchObject({
      error: { code: "rejected", message: "the queue is full (0 calls are waiting)" },
    });
  });
});

describe("targets that are not tools", () => {
  const odd: [string, unknown][] = [
    ["undefined", undefined],
    ["null", null],
    ["a number", 5],
    ["an object that looks like a tool", { name: "x", run: () => 1 }],
  ];

  test.each(odd)("%s produces a failure, not an exception", async (_name, target) => {
    const result = await createEngine().call(target as string, {});
    expect(result).toMatchObject({ success: false, error: { code: "tool_not_found", retry: "never" } });
    expect(result.success ? "" : result.error.message).toContain("defineTool");
  });

  test("names of built-in properties are not tools", async () => {
    for (const name of ["__proto__", "constructor", "toString", ""]) {
      expect(await createEngine().call(name, {})).toMatchObject({ error: { code: "tool_not_found" } });
    }
  });
});

describe("parts that break their word", () => {
  const boom = (): never => {
    throw new Error("boom");
  };

  const broken: [string, () => Promise<ToolResult>][] = [
    [
      "an effect function",
      () =>
        createEngine().call(
          sampleTool(() => 1, { effect: boom }),
          {},
        ),
    ],
    [
      "a destructive function",
      () =>
        createEngine({ permissions: { ask: ["destructive"] } }).call(
          sampleTool(() => 1, { destructive: boom }),
          {},
        ),
    ],
    [
      "a timeout function",
      () =>
        createEngine().call(
          sampleTool(() => 1, { timeoutMs: boom }),
          {},
        ),
    ],
    [
      "an approver",
      () => createEngine({ permissions: { ask: ["*"] }, approver: { requestApproval: boom } }).call(echo, {}),
    ],
    [
      "an approver later",
      () =>
        createEngine({ permissions: { ask: ["*"] }, approver: { requestApproval: async () => boom() } }).call(echo, {}),
    ],
    ["a resolver", () => createEngine({ resolver: { resolve: boom, names: () => [] } }).call("echo", {})],
    [
      "a cache",
      () =>
        createEngine({ cache: { get: boom, set: boom, clear: boom } }).call(
          sampleTool(() => 1, { cache: { ttlMs: 1000 } }),
          {},
        ),
    ],
    ["an input schema", () => createEngine().call({ ...echo, input: { json: {}, validate: boom } }, {})],
    [
      "an input schema later",
      () => createEngine().call({ ...echo, input: { json: {}, validate: async () => boom() } }, {}),
    ],
  ];

  test.each(broken)("%s that throws produces a failure", async (_name, call) => {
    expect(await call()).toMatchObject({
      success: false,
      error: { code: "execution_error", reason: "internal", retry: "never", message: expect.stringContaining("boom") },
    });
  });

  test("a thrown value may be anything", async () => {
    const hostile = new Proxy(
      {},
      {
        get: boom,
        has: boom,
        getPrototypeOf: boom,
      },
    );
    const tool = sampleTool(() => 1, {
      effect: () => {
        throw hostile;
      },
    });
    expect(await createEngine().call(tool, {})).toMatchObject({ error: { code: "execution_error" } });
  });
});
