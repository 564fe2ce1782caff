import { expect, test } from "vitest";
import { createRedactor } from "../../secrets/index.ts";
import { eventRedactor } from "./execute-run.ts";
import type { RunEvent } from "./run-events.ts";

const secret = "hunter2secret";
const { value: redact } = createRedactor([secret]);
const about = { at: 1, runId: "r1", step: "a", tool: "t", replayed: false } as const;
const error = { code: "execution_error", message: "m", forModel: "m", retry: "never" } as const;

const events: readonly RunEvent[] = [
  { type: "run-started", at: 1, runId: "r1", chain: "c", steps: ["a"], replayed: false },
  { ...about, type: "step-started", input: { q: "x", deep: [{ y: "z" }] } },
  { ...about, type: "step-progress", value: "half" },
  { ...about, type: "step-retrying", attempt: 2, delayMs: 5, error },
  { ...about, type: "step-fallback", fallbackTool: "u", error },
  { ...about, type: "step-suspended", approvalId: "i", message: "may I?" },
  { ...about, type: "step-approval-decided", approvalId: "i", status: "approved", by: "ann" },
  { ...about, type: "item-started", item: 0, of: 2 },
  { ...about, type: "item-finished", item: 0, of: 2, status: "success" },
  {
    ...about,
    type: "step-finished",
    status: "skipped",
    durationMs: 1,
    attempts: 1,
    cached: false,
    output: { text: "o" },
    error,
    skip: { kind: "condition", condition: "false" },
  },
  { type: "run-finished", at: 2, runId: "r1", chain: "c", status: "success", durationMs: 1, output: "o", error },
];

/** The event once for each text in it, that text replaced by the secret. The words of the format stay. */
function planted(event: RunEvent): unknown[] {
  const text = JSON.stringify(event);
  const fixed = new Set(["type", "status", "kind"]);
  const found = [...text.matchAll(/"(\w+)":\s*"([^"]*)"|(?<=[[,])"([^"]*)"(?=[,\]])/g)].filter(
    ([, key]) => !fixed.has(key ?? ""),
  );
  return found.map((match) => {
    const [whole] = match;
    const at = whole.lastIndexOf('"', whole.length - 2);
    return JSON.parse(
      `${text.slice(0, match.index)}${whole.slice(0, at)}"${secret}"${text.slice(match.index + whole.length)}`,
    );
  });
}

test("a secret is redacted anywhere in an event, and in the next event, too", () => {
  const shown = eventRedactor(redact);
  let looked = 0;
  for (const event of [...events, ...events]) {
    for (const one of planted(event)) {
      expect(JSON.stringify(one)).toContain(secret);
      // Built from an event by changing a text.
      expect(shown(one as RunEvent)).toEqual(redact(one));
      looked++;
    }
  }
  expect(looked).toBeGreaterThan(60);
});

test("an event without secrets stays the same object", () => {
  const shown = eventRedactor(redact);
  for (const event of events) expect(shown(event)).toBe(event);
});
