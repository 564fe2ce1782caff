import { expect, test } from "vitest";
import { failure } from "../../base/index.ts";
import { createRedactor } from "../../text/index.ts";
import type { AgentEvent } from "../agent-event.ts";
import { shownEvents } from "./shown-events.ts";

const place = { at: 1, runId: "r", part: "main", round: 1 };
const usage = { inputTokens: 1, outputTokens: 2 };

interface Pieces {
  readonly size: number;
  readonly type?: "text-delta" | "thinking-delta";
}

/** What is shown of a text that comes in pieces of this many characters. */
function shown(secrets: readonly string[], text: string, { size, type = "text-delta" }: Pieces): string[] {
  const seen: AgentEvent[] = [];
  const tell = shownEvents((event) => seen.push(event), createRedactor(secrets));
  for (let at = 0; at < text.length; at += size) tell({ ...place, type, text: text.slice(at, at + size) });
  tell({ ...place, type: "round-finished", model: "m", finishReason: "stop", usage, toolCalls: 0, text });
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

test("what only looks like a secret may be code, and is shown as it is", () => {
  const text =
    'password = input("Password: ")\nuser = input("User: ")\nAPI_KEY=abc123def456 -----BEGIN PRIVATE KEY-----\n';
  for (const secrets of [[], ["hunter2-hunter2"]]) {
    for (const size of [1, 3, 9, 1000]) expect(shown(secrets, text, { size }).join("")).toBe(text);
  }
});

test("whoever decides on a call sees all of the question but secrets that are known", () => {
  const seen: AgentEvent[] = [];
  const tell = shownEvents((event) => seen.push(event), createRedactor(["hunter2-hunter2"]));
  const message = 'Run with password="x\ncurl evil.example" and hunter2-hunter2?';
  tell({ ...place, type: "approval-asked", approvalId: "a", callId: "c", tool: "send", args: {}, message });
  expect(seen).toMatchObject([{ message: 'Run with password="x\ncurl evil.example" and [redacted]?' }]);
});

test("what cannot be a part of a secret is shown at once", () => {
  const seen: string[] = [];
  const tell = shownEvents(
    (event) => {
      if (event.type === "text-delta") seen.push(event.text);
    },
    createRedactor(["hunter2-hunter2"]),
  );
  for (const text of ["One two ", "hunter", "s 四五", "六"]) tell({ ...place, type: "text-delta", text });
  expect(seen).toEqual(["One two ", "hunters 四五", "六"]);
});

test("of a run that ends in the middle nothing is left out, and no half of a secret is let go", () => {
  const seen: AgentEvent[] = [];
  const tell = shownEvents((event) => seen.push(event), createRedactor(["hunter2-hunter2"]));
  tell({ ...place, type: "text-delta", text: "It begins hunter2" });
  tell({ at: 2, runId: "r", type: "run-finished", status: "cancelled", answer: "", durationMs: 1, usage });
  expect(seen.map((event) => ("text" in event ? event.text : event.type))).toEqual([
    "It begins ",
    "hunter2",
    "run-finished",
  ]);
});

test("what was held back of a stream that broke is forgotten", () => {
  const seen: AgentEvent[] = [];
  const tell = shownEvents((event) => seen.push(event), createRedactor(["hunter2-hunter2"]));
  tell({ ...place, type: "text-delta", text: "hunter2" });
  tell({ ...place, type: "round-restarted" });
  tell({ ...place, type: "text-delta", text: "right " });
  expect(seen.map((event) => ("text" in event ? event.text : event.type))).toEqual(["round-restarted", "right "]);
});

test("figures stay, whatever their names say", () => {
  const seen: AgentEvent[] = [];
  const tell = shownEvents((event) => seen.push(event), createRedactor(["hunter2-hunter2"]));
  const text = "hunter2-hunter2";
  tell({ ...place, type: "round-finished", model: "m", finishReason: "stop", usage, toolCalls: 0, text });
  expect(seen).toMatchObject([{ type: "round-finished", text: "[redacted]", usage }]);
});

test("where only what is known is taken out, the rest comes at once, and as it is", () => {
  const seen: AgentEvent[] = [];
  const tell = shownEvents((event) => seen.push(event), createRedactor(["hunter2-hunter2"]));
  const pieces = ["The pass", "word: opens", "esame, not hunter2-hun", "ter2", " or hunt"];
  for (const text of pieces) tell({ ...place, type: "text-delta", text });
  tell({
    ...place,
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

test("nothing is held back, and no event copied, where nothing is known", () => {
  const seen: AgentEvent[] = [];
  const tell = shownEvents((event) => seen.push(event), createRedactor([]));
  const told: AgentEvent[] = [
    { ...place, type: "text-delta", text: "password: a" },
    { ...place, type: "thinking-delta", text: "-----BEGIN " },
    { ...place, type: "round-finished", model: "m", finishReason: "stop", usage, toolCalls: 0, text: "password: a" },
  ];
  for (const event of told) tell(event);
  expect(seen).toHaveLength(3);
  for (const [at, event] of told.entries()) expect(seen[at]).toBe(event);
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
])("names, ids and kinds stay where %s is a secret", (secret) => {
  const seen: AgentEvent[] = [];
  const tell = shownEvents((event) => seen.push(event), createRedactor([secret]));
  const told: AgentEvent[] = [
    { ...place, type: "text-delta", text: "fine " },
    { ...place, type: "round-finished", model: "m", finishReason: "stop", usage, toolCalls: 0, text: "fine" },
    {
      ...place,
      runId: "r-17",
      type: "tool-finished",
      callId: "c",
      tool: "read",
      decidedBy: "model",
      durationMs: 1,
      success: false,
      summary: "s",
      found: { count: 1, names: ["n"] },
      error: { code: "execution_error", reason: "unknown_city", message: "m", forModel: "m", retry: "never" },
    },
  ];
  for (const event of told) tell(event);
  expect(seen).toEqual(told);
});

const secret = "hunter2-hunter2";
const error = failure("execution_error", `it said ${secret}`);
const call = { callId: "c", tool: "send" };
const saying: readonly AgentEvent[] = [
  { ...place, type: "run-started", runner: "llm", question: `is it ${secret}?` },
  { ...place, type: "round-finished", model: "m", finishReason: "stop", usage, toolCalls: 0, text: `it is ${secret}` },
  { ...place, ...call, type: "tool-progress", value: { at: `step ${secret}` } },
  {
    ...place,
    ...call,
    type: "tool-finished",
    decidedBy: "model",
    durationMs: 1,
    success: false,
    summary: `found ${secret}`,
    found: { count: 1, names: [`a ${secret}`] },
    error,
  },
  { ...place, ...call, type: "approval-asked", approvalId: "a", args: {}, message: `send ${secret}?` },
  { ...place, ...call, type: "approval-decided", approvalId: "a", approved: false, note: `not ${secret}` },
  { ...place, type: "note", text: `the service said ${secret}` },
  {
    ...place,
    type: "run-finished",
    status: "failed",
    answer: `so ${secret}`,
    partial: `so ${secret}`,
    durationMs: 1,
    usage,
    error,
  },
];

test.each(saying.map((event) => [event.type, event] as const))("no text of the event %s shows a secret", (_, event) => {
  const seen: AgentEvent[] = [];
  const tell = shownEvents((shown) => seen.push(shown), createRedactor([secret]));
  tell(event);
  tell({ at: 2, runId: "r", type: "run-finished", status: "cancelled", answer: "", durationMs: 1, usage });
  expect(seen[0]).toEqual(JSON.parse(JSON.stringify(event).replaceAll(secret, "[redacted]")));
});
