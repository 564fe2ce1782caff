import { expect, test } from "vitest";
import type { AgentEvent } from "../../agent/index.ts";
import { createRedactor } from "../../text/index.ts";
import { redactedEvents } from "./redacted-events.ts";

const place = { at: 1, runId: "r", part: "main", round: 1 };
const usage = { inputTokens: 1, outputTokens: 2 };

interface Pieces {
  readonly size: number;
  readonly type?: "text-delta" | "thinking-delta";
}

/** What is shown of a text that comes in pieces of this many characters. */
function shown(secrets: readonly string[], text: string, { size, type = "text-delta" }: Pieces): string[] {
  const seen: AgentEvent[] = [];
  const tell = redactedEvents(createRedactor(secrets), (event) => seen.push(event));
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
  const tell = redactedEvents(createRedactor(["hunter2-hunter2"]), (event) => {
    if (event.type === "text-delta") seen.push(event.text);
  });
  for (const text of ["One two ", "three", " 四五", "六"]) tell({ ...place, type: "text-delta", text });
  expect(seen).toEqual(["One two ", "three 四五", "六"]);
});

test("of a run that ends in the middle nothing is left out, and no half of a secret is let go", () => {
  const seen: AgentEvent[] = [];
  const tell = redactedEvents(createRedactor(["hunter2-hunter2"]), (event) => seen.push(event));
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
  const tell = redactedEvents(createRedactor([]), (event) => seen.push(event));
  tell({ ...place, type: "text-delta", text: "wrong" });
  tell({ ...place, type: "round-restarted" });
  tell({ ...place, type: "text-delta", text: "right " });
  expect(seen.map((event) => ("text" in event ? event.text : event.type))).toEqual(["round-restarted", "right "]);
});

test("figures stay, whatever their names say", () => {
  const seen: AgentEvent[] = [];
  const tell = redactedEvents(createRedactor(["hunter2-hunter2"]), (event) => seen.push(event));
  const text = "hunter2-hunter2";
  tell({ ...place, type: "round-finished", model: "m", finishReason: "stop", usage, toolCalls: 0, text });
  expect(seen).toMatchObject([{ type: "round-finished", text: "[redacted]", usage }]);
});
