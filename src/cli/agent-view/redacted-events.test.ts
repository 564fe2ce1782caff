import { expect, test } from "vitest";
import type { AgentEvent } from "../../agent/index.ts";
import { createRedactor } from "../../text/index.ts";
import { redactedEvents } from "./redacted-events.ts";

const place = { at: 1, runId: "r", part: "main", round: 1 };

test("a secret that comes in pieces is taken out, and the rest comes in its order", () => {
  const seen: AgentEvent[] = [];
  const tell = redactedEvents(createRedactor(["hunter2-hunter2"]), (event) => seen.push(event));
  for (const text of ["The key is hun", "ter2-hun", "ter2, 秘密", "。And so on"])
    tell({ ...place, type: "text-delta", text });
  const usage = { inputTokens: 1, outputTokens: 2 };
  tell({
    ...place,
    type: "round-finished",
    model: "m",
    finishReason: "stop",
    usage,
    toolCalls: 0,
    text: "hunter2-hunter2",
  });
  const said = seen.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
  expect(said.join("")).toBe("The key is [redacted], 秘密。And so on");
  expect(seen.at(-1)).toMatchObject({ type: "round-finished", text: "[redacted]", usage });
});

test("what was held back of a stream that broke is forgotten", () => {
  const seen: AgentEvent[] = [];
  const tell = redactedEvents(createRedactor([]), (event) => seen.push(event));
  tell({ ...place, type: "text-delta", text: "wrong" });
  tell({ ...place, type: "round-restarted" });
  tell({ ...place, type: "text-delta", text: "right " });
  expect(seen.map((event) => ("text" in event ? event.text : event.type))).toEqual(["round-restarted", "right "]);
});
