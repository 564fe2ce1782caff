import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentResult, createAgent } from "../../src/agent/index.ts";
import { fail, systemClock } from "../../src/base/index.ts";
import { createEngine } from "../../src/engine/index.ts";
import { openModel } from "../../src/model/index.ts";
import { createHttpClient } from "../../src/net/index.ts";
import { type ModelServer, type ReceivedRequest, type ModelServerResponse, modelServer } from "../../src/testing.ts";
import { defineTool } from "../../src/tool/index.ts";

/** One response of the model: the calls that it requests, and the injected fault. */
type Turn =
  | { readonly kind: "calls"; readonly calls: readonly Call[] }
  | { readonly kind: "cut" | "cut-stream" | "bad-json" | "empty" | "malformed" }
  | { readonly kind: "busy"; readonly status: 429 | 500 }
  | { readonly kind: "text" };

interface Call {
  readonly name: "look" | "note" | "send" | "flaky" | "slow" | "nowhere";
  /** Few values, so that calls are repeated. */
  readonly n: number;
}

const call = fc.record<Call>({
  name: fc.constantFrom("look", "note", "send", "flaky", "slow", "nowhere"),
  n: fc.integer({ min: 0, max: 3 }),
});
const turn: fc.Arbitrary<Turn> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(call, { minLength: 1, maxLength: 4 }).map((calls) => ({ kind: "calls" as const, calls })),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom("cut", "cut-stream", "bad-json", "empty", "malformed").map((kind) => ({ kind })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(429 as const, 500 as const).map((status) => ({ kind: "busy" as const, status })),
  },
  { weight: 1, arbitrary: fc.constant<Turn>({ kind: "text" }) },
);
const conversation = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 7 }),
  family: fc.constantFrom("openai" as const, "anthropic" as const, "google" as const),
  streams: fc.boolean(),
});

/** A marker in the arguments of calls that must never run. */
const cutMarker = "CUT";

function answerOf(it: Turn, round: number): ModelServerResponse {
  switch (it.kind) {
    case "calls":
      return { toolCalls: it.calls.map(({ name, n }, index) => ({ name, args: { n }, id: `c${round}_${index}` })) };
    case "cut":
      return {
        toolCalls: [{ name: "send", args: { n: 9, text: cutMarker.repeat(20) }, id: `c${round}_0` }],
        finishReason: "length",
        wire: { cutArguments: 20 },
      };
    case "cut-stream":
      return {
        toolCalls: [{ name: "send", args: { n: 8, text: cutMarker }, id: `c${round}_0` }],
        wire: { cut: { chunk: 2 } },
      };
    case "bad-json":
      return { toolCalls: [{ name: "send", argumentsText: `{"n": 7, "text": "${cutMarker}`, id: `c${round}_0` }] };
    case "malformed":
      return { text: "never seen", wire: { malformedChunk: 1 } };
    case "empty":
      return { text: "" };
    case "busy":
      return { status: it.status, retryAfter: 0 };
    case "text":
      return { text: "an answer" };
  }
}

interface World {
  /** Actions of the tools, in order. */
  readonly log: { readonly tool: string; readonly n: number; readonly text: string }[];
  readonly engine: ReturnType<typeof createEngine>;
}

type Work = (n: number, signal: AbortSignal) => unknown;

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("stopped")));
  });
}

function world(): World {
  const log: { tool: string; n: number; text: string }[] = [];
  const input = z.object({ n: z.number(), text: z.string().default("") });
  const make = (name: string, effect: "read" | "idempotent" | "once", run: Work = (n) => ({ n })) =>
    defineTool({
      name,
      description: name,
      effect,
      input,
      timeoutMs: 40,
      run: ({ n, text }, { signal }) => {
        log.push({ tool: name, n, text });
        return run(n, signal);
      },
    });
  const engine = createEngine({
    permissions: { ask: [], allow: ["* trusted"] },
    tools: [
      make("look", "read"),
      make("note", "idempotent"),
      // It may have been sent before it failed, or took too long.
      make("send", "once", (n, signal) => (n === 1 ? fail("connection lost") : n === 2 ? untilAborted(signal) : { n })),
      make("flaky", "read", (n) => (n % 2 === 0 ? fail("it broke", { retry: "safe" }) : { n })),
      make("slow", "read", (_n, signal) => untilAborted(signal)),
    ],
  });
  return { log, engine };
}

/** Delays before retries end immediately. */
const hasty = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(ms / 100, run) };

const lastResort: ModelServerResponse = { text: "the end" };

describe("200 conversations with random faults", () => {
  let server: ModelServer;
  let script: (request: ReceivedRequest) => ModelServerResponse = () => lastResort;
  const http = { current: createHttpClient() };

  beforeAll(async () => {
    server = await modelServer((request) => script(request));
    http.current = createHttpClient({ allow: [server.host] });
  });
  afterAll(async () => {
    await http.current.close();
    await server.close();
  });

  const settings = {
    openai: () => ({ baseUrl: server.baseUrls.openai, name: "gpt-5" }),
    anthropic: () => ({
      provider: "anthropic" as const,
      baseUrl: server.baseUrls.anthropic,
      name: "claude-sonnet-4-5",
    }),
    google: () => ({ provider: "google" as const, baseUrl: server.baseUrls.gemini, name: "gemini-3-pro" }),
  };

  async function hold({
    turns,
    family,
    streams,
  }: {
    turns: readonly Turn[];
    family: keyof typeof settings;
    streams: boolean;
  }) {
    let requested = 0;
    script = () => {
      const next = turns[requested];
      return next === undefined ? lastResort : answerOf(next, requested++);
    };
    const before = server.requests.length;
    const { log, engine } = world();
    const model = openModel({ apiKey: "k", timeoutMs: 5000, ...settings[family]() }, { http: http.current });
    const agent = createAgent({ engine, model, maxRounds: 6, clock: hasty });
    const result = await agent.run("go", streams ? { onEvent: () => {} } : {});
    await engine.close();
    return { result, log, refused: server.requests.slice(before).filter(({ outcome }) => outcome === "refused") };
  }

  test("[E05] each ends with an answer or a named failure; every call has one result; no truncated call ran; no once tool ran twice", async () => {
    const property = fc.asyncProperty(conversation, async (it) => {
      const { result, log, refused } = await hold(it);
      expect(refused).toEqual([]);
      expect(isEnded(result)).toBe(true);
      expect(unpaired(result)).toEqual([]);
      expect(log.filter(({ text }) => text.includes(cutMarker))).toEqual([]);
      const sent = log.filter(({ tool }) => tool === "send").map(({ n }) => n);
      expect(new Set(sent).size).toBe(sent.length);
    });
    await fc.assert(property, { numRuns: 200, seed: Number(process.env["WINDLASS_SEED"] ?? 6) });
  }, 120_000);
});

function isEnded({ status, answer, error }: AgentResult): boolean {
  return status === "completed" ? answer !== "" : status === "failed" && error?.reason !== undefined;
}

/** Calls without exactly one result, by their ids. */
function unpaired({ messages }: AgentResult): string[] {
  const calls = messages.flatMap(({ role, content }) =>
    role === "assistant" ? content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : [])) : [],
  );
  const results = messages.flatMap(({ role, content }) =>
    role === "tool" ? content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : [])) : [],
  );
  const repeated = calls.filter((id, index) => calls.indexOf(id) !== index);
  const wrong = calls.filter((id) => results.filter((other) => other === id).length !== 1);
  return [...repeated, ...wrong, ...results.filter((id) => !calls.includes(id))];
}
