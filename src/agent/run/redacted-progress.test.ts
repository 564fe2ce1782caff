import { describe, expect, test } from "vitest";
import { createRedactor } from "../../text/index.ts";
import type { AgentEvent } from "../agent-event.ts";
import { shownEvents } from "./shown-events.ts";

const place = { at: 1, runId: "r", part: "main", round: 1 };
const usage = { inputTokens: 1, outputTokens: 2 };

describe("what a call reports", () => {
  const secret = "hunter2secretvalue";
  const of = (callId: string) => ({ ...place, callId, tool: "look" });
  const finished = (callId: string): AgentEvent => ({
    ...of(callId),
    type: "tool-finished",
    decidedBy: "model",
    durationMs: 1,
    success: true,
    summary: "s",
  });

  function listening(secrets: readonly string[]) {
    const seen: AgentEvent[] = [];
    const tell = shownEvents((event) => seen.push(event), createRedactor(secrets));
    const report = (callId: string, value: unknown): void => tell({ ...of(callId), type: "tool-progress", value });
    const values = () => seen.map((event) => (event.type === "tool-progress" ? event.value : event.type));
    return { seen, tell, report, values };
  }

  test("shows no piece of a secret", () => {
    for (const size of [1, 2, 3, 5, 8, 11, 1000]) {
      const { tell, report, values } = listening([secret, "another secret"]);
      const text = `The key is ${secret}, and ${secret} so on: ${secret}`;
      for (let at = 0; at < text.length; at += size) report("c0", text.slice(at, at + size));
      tell(finished("c0"));
      expect(values().at(-1)).toBe("tool-finished");
      const shown = values().slice(0, -1).join("");
      expect(shown).toBe("The key is [redacted], and [redacted] so on: [redacted]");
    }
  });

  test("is shown whole, and one behind the other: half a figure is another", () => {
    const { tell, report, values } = listening(["6th of May", "done it"]);
    report("c0", "10 of 16");
    expect(values()).toEqual([]);
    report("c0", "11 of 16");
    report("c0", "12 of 20");
    expect(values()).toEqual(["10 of 16", "11 of 16", "12 of 20"]);
    report("c0", "all d");
    tell(finished("c1"));
    tell(finished("c0"));
    expect(values().slice(3)).toEqual(["tool-finished", "all d", "tool-finished"]);
  });

  test("is not what another call reports", () => {
    const { tell, report, values } = listening([secret]);
    report("c0", "so hunter2s");
    report("c1", "ecretvalue");
    tell({ at: 2, runId: "r", type: "run-finished", status: "cancelled", answer: "", durationMs: 1, usage });
    expect(values()).toEqual(["ecretvalue", "so hunter2s", "run-finished"]);
  });

  test("and looks like a secret is not shown, nor one in a value that is no text", () => {
    const { report, values } = listening([secret]);
    report("c0", "password: opensesame");
    report("c0", { line: `key ${secret}` });
    report("c0", 3);
    expect(values()).toEqual(["password: [redacted]", { line: "key [redacted]" }, 3]);
  });

  test("comes at once, and as it is, where nothing is known", () => {
    const { seen, tell } = listening([]);
    const event: AgentEvent = { ...of("c0"), type: "tool-progress", value: "hunter2s" };
    tell(event);
    expect(seen[0]).toBe(event);
  });
});
