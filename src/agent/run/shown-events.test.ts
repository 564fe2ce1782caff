import { expect, test } from "vitest";
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
  const tell = shownEvents((event) => seen.push(event), createRedactor(secrets), "all");
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

test("what stands behind a telling name is taken out, wherever the pieces end", () => {
  const text =
    'so password: "correct horse" and API_KEY=abc123def456 end.\nA line\n-----BEGIN PRIVATE KEY-----\nMIIE\nabc\n';
  const whole = createRedactor([]).text(text);
  expect(whole).not.toMatch(/horse|abc123|MIIE/);
  for (const size of [1, 3, 9, 1000]) expect(shown([], text, { size }).join("")).toBe(whole);
});

test("what cannot be a part of a secret is shown at once", () => {
  const seen: string[] = [];
  const tell = shownEvents(
    (event) => {
      if (event.type === "text-delta") seen.push(event.text);
    },
    createRedactor(["hunter2-hunter2"]),
    "all",
  );
  for (const text of ["One two ", "three", " 四五", "六"]) tell({ ...place, type: "text-delta", text });
  expect(seen).toEqual(["One two ", "three 四五", "六"]);
});

test("of a run that ends in the middle nothing is left out, and no half of a secret is let go", () => {
  const seen: AgentEvent[] = [];
  const tell = shownEvents((event) => seen.push(event), createRedactor(["hunter2-hunter2"]), "all");
  tell({ ...place, type: "text-delta", text: "It begins wi" });
  tell({ at: 2, runId: "r", type: "run-finished", status: "cancelled", answer: "", durationMs: 1, usage });
  expect(seen.map((event) => ("text" in event ? event.text : event.type))).toEqual([
    "It begins ",
    "wi",
    "run-finished",
  ]);
});

test("what was held back of a stream that broke is forgotten", () => {
  const seen: AgentEvent[] = [];
  const tell = shownEvents((event) => seen.push(event), createRedactor([]), "all");
  tell({ ...place, type: "text-delta", text: "wrong" });
  tell({ ...place, type: "round-restarted" });
  tell({ ...place, type: "text-delta", text: "right " });
  expect(seen.map((event) => ("text" in event ? event.text : event.type))).toEqual(["round-restarted", "right "]);
});

test("figures stay, whatever their names say", () => {
  const seen: AgentEvent[] = [];
  const tell = shownEvents((event) => seen.push(event), createRedactor(["hunter2-hunter2"]), "all");
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
  const tell = shownEvents((event) => seen.push(event), createRedactor([secret]), "all");
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
