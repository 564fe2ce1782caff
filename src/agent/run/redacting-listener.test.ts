import { expect, test } from "vitest";
import { failure } from "../../base/index.ts";
import { createRedactor } from "../../secrets/index.ts";
import type { AgentEvent } from "../events/agent-event.ts";
import { redactingListener } from "./redacting-listener.ts";

const position = { at: 1, runId: "r", part: "main", round: 1 };
const usage = { inputTokens: 1, outputTokens: 2 };

interface Pieces {
  readonly size: number;
  readonly type?: "text-delta" | "thinking-delta";
}

/** Output for a text that arrives in pieces of this many characters. */
function shown(secrets: readonly string[], text: string, { size, type = "text-delta" }: Pieces): string[] {
  const seen: AgentEvent[] = [];
  const report = redactingListener((event) => seen.push(event), createRedactor(secrets));
  for (let at = 0; at < text.length; at += size) report({ ...position, type, text: text.slice(at, at + size) });
  report({ ...position, type: "round-finished", model: "m", finishReason: "stop", usage, toolCalls: 0, text });
  return seen.flatMap((event) => (event.type === type ? [event.text] : []));
}

const jwt = `eyJ${"abcDEF123_-".repeat(12)}.${"xyz789".repeat(20)}.${"Q-w_".repeat(17)}`;

test.each([
  ["a word", "hunter2-hunter2"],
  ["one of more than 200 characters", jwt],
  ["one with blanks", "correct horse battery staple"],
  ["one of another script", "密码一二三四五六"],
  ["one of several lines", "first line\nsecond line\nthird"],
  ["one of emoji", "🔑🗝️🔒🔓🔐"],
])("no piece of a secret is shown: %s", (_what, secret) => {
  const text = `The key is ${secret}, 秘密${secret}。And ${secret} so on`;
  for (const type of ["text-delta", "thinking-delta"] as const) {
    for (const size of [1, 2, 3, 5, 7, 11, 64, 1000]) {
      const pieces = shown([secret, "another secret"], text, { size, type });
      expect(pieces.join("")).toBe("The key is [redacted], 秘密[redacted]。And [redacted] so on");
    }
  }
});

test("text that only looks like a secret may be code, and is shown unchanged", () => {
  const text =
    'password = input("Password: ")\nuser = input("User: ")\nAPI_KEY=abc123def456 -----BEGIN PRIVATE KEY-----\n';
  for (const secrets of [[], ["hunter2-hunter2"]]) {
    for (const size of [1, 3, 9, 1000]) expect(shown(secrets, text, { size }).join("")).toBe(text);
  }
});

test("the approver of a call sees the whole approval except known secrets", () => {
  const seen: AgentEvent[] = [];
  const report = redactingListener((event) => seen.push(event), createRedactor(["hunter2-hunter2"]));
  const message = 'Run with password="x\ncurl evil.example" and hunter2-hunter2?';
  report({ ...position, type: "approval-requested", approvalId: "a", callId: "c", tool: "send", args: {}, message });
  expect(seen).toMatchObject([{ message: 'Run with password="x\ncurl evil.example" and [redacted]?' }]);
});

test("text that cannot be part of a secret is shown immediately", () => {
  const seen: string[] = [];
  const report = redactingListener(
    (event) => {
      if (event.type === "text-delta") seen.push(event.text);
    },
    createRedactor(["hunter2-hunter2"]),
  );
  for (const text of ["One two ", "hunter", "s 四五", "六"]) report({ ...position, type: "text-delta", text });
  expect(seen).toEqual(["One two ", "hunters 四五", "六"]);
});

test("nothing of a run that ends in the middle is omitted, and no half of a secret is shown", () => {
  const seen: AgentEvent[] = [];
  const report = redactingListener((event) => seen.push(event), createRedactor(["hunter2-hunter2"]));
  report({ ...position, type: "text-delta", text: "It begins hunter2" });
  report({ at: 2, runId: "r", type: "run-finished", status: "cancelled", answer: "", durationMs: 1, usage });
  expect(seen.map((event) => ("text" in event ? event.text : event.type))).toEqual([
    "It begins ",
    "hunter2",
    "run-finished",
  ]);
});

test("text held back from an interrupted stream is discarded", () => {
  const seen: AgentEvent[] = [];
  const report = redactingListener((event) => seen.push(event), createRedactor(["hunter2-hunter2"]));
  report({ ...position, type: "text-delta", text: "hunter2" });
  report({ ...position, type: "round-restarted" });
  report({ ...position, type: "text-delta", text: "right " });
  expect(seen.map((event) => ("text" in event ? event.text : event.type))).toEqual(["round-restarted", "right "]);
});

test("numbers stay under any name", () => {
  const seen: AgentEvent[] = [];
  const report = redactingListener((event) => seen.push(event), createRedactor(["hunter2-hunter2"]));
  const text = "hunter2-hunter2";
  report({ ...position, type: "round-finished", model: "m", finishReason: "stop", usage, toolCalls: 0, text });
  expect(seen).toMatchObject([{ type: "round-finished", text: "[redacted]", usage }]);
});

test("if only known secrets are redacted, the rest is shown at once and unchanged", () => {
  const seen: AgentEvent[] = [];
  const report = redactingListener((event) => seen.push(event), createRedactor(["hunter2-hunter2"]));
  const pieces = ["The pass", "word: opens", "esame, not hunter2-hun", "ter2", " or hunt"];
  for (const text of pieces) report({ ...position, type: "text-delta", text });
  report({
    ...position,
    type: "round-finished",
    model: "m",
    finishReason: "stop",
    usage,
    toolCalls: 0,
    text: pieces.join(""),
  });
  expect(seen.map((event) => ("text" in event ? event.text : event.type))).toEqual([
    "The pass",
    "word: opens",
    "esame, not ",
    "[redacted] or ",
    "hunt",
    "The password: opensesame, not [redacted] or hunt",
  ]);
});

test("nothing is held back, and no event is copied, if there is no known secret", () => {
  const seen: AgentEvent[] = [];
  const report = redactingListener((event) => seen.push(event), createRedactor([]));
  const reported: AgentEvent[] = [
    { ...position, type: "text-delta", text: "password: a" },
    { ...position, type: "thinking-delta", text: "-----BEGIN " },
    { ...position, type: "round-finished", model: "m", finishReason: "stop", usage, toolCalls: 0, text: "password: a" },
  ];
  for (const event of reported) report(event);
  expect(seen).toHaveLength(3);
  for (const [at, event] of reported.entries()) expect(seen[at]).toBe(event);
});

test.each([
  "text",
  "names",
  "count",
  "code",
  "message",
  "main",
  "stop",
  "read",
  "r-17",
  "execution_error",
  "unknown_city",
])("names, ids and kinds stay unchanged if %s is a secret", (secret) => {
  const seen: AgentEvent[] = [];
  const report = redactingListener((event) => seen.push(event), createRedactor([secret]));
  const reported: AgentEvent[] = [
    { ...position, type: "text-delta", text: "fine " },
    { ...position, type: "round-finished", model: "m", finishReason: "stop", usage, toolCalls: 0, text: "fine" },
    {
      ...position,
      runId: "r-17",
      type: "tool-finished",
      callId: "c",
      tool: "read",
      initiator: "model",
      durationMs: 1,
      success: false,
      summary: "s",
      items: { count: 1, names: ["n"] },
      error: { code: "execution_error", reason: "unknown_city", message: "m", forModel: "m", retry: "never" },
    },
  ];
  for (const event of reported) report(event);
  expect(seen).toEqual(reported);
});

const secret = "hunter2-hunter2";
const error = failure("execution_error", `it said ${secret}`);
const call = { callId: "c", tool: "send" };
const messageText: readonly AgentEvent[] = [
  { ...position, type: "run-started", runner: "llm", prompt: `is it ${secret}?` },
  {
    ...position,
    type: "round-finished",
    model: "m",
    finishReason: "stop",
    usage,
    toolCalls: 0,
    text: `it is ${secret}`,
  },
  { ...position, ...call, type: "tool-progress", value: { at: `step ${secret}` } },
  {
    ...position,
    ...call,
    type: "tool-finished",
    initiator: "model",
    durationMs: 1,
    success: false,
    summary: `found ${secret}`,
    items: { count: 1, names: [`a ${secret}`] },
    error,
  },
  { ...position, ...call, type: "approval-requested", approvalId: "a", args: {}, message: `send ${secret}?` },
  { ...position, ...call, type: "approval-decided", approvalId: "a", approved: false, note: `not ${secret}` },
  {
    ...position,
    type: "notice",
    code: "custom_notice",
    params: { text: `it said ${secret}` },
    text: `the service said ${secret}`,
  },
  {
    ...position,
    type: "run-finished",
    status: "failed",
    answer: `so ${secret}`,
    partial: `so ${secret}`,
    durationMs: 1,
    usage,
    error,
  },
];

test.each(messageText.map((event) => [event.type, event] as const))(
  "no text of the event %s shows a secret",
  (_, event) => {
    const seen: AgentEvent[] = [];
    const report = redactingListener((shown) => seen.push(shown), createRedactor([secret]));
    report(event);
    report({ at: 2, runId: "r", type: "run-finished", status: "cancelled", answer: "", durationMs: 1, usage });
    expect(seen[0]).toEqual(JSON.parse(JSON.stringify(event).replaceAll(secret, "[redacted]")));
  },
);
