import { describe, expect, test } from "vitest";
import { createRedactor } from "../../secrets/index.ts";
import type { AgentEvent } from "../events/agent-event.ts";
import { redactingListener } from "./redacting-listener.ts";

const position = { at: 1, runId: "r", part: "main", round: 1 };
const usage = { inputTokens: 1, outputTokens: 2 };

describe("the progress of a call", () => {
  const secret = "hunter2secretvalue";
  const of = (callId: string) => ({ ...position, callId, tool: "look" });
  const finished = (callId: string): AgentEvent => ({
    ...of(callId),
    type: "tool-finished",
    initiator: "model",
    durationMs: 1,
    success: true,
    summary: "s",
  });

  function listening(secrets: readonly string[]) {
    const seen: AgentEvent[] = [];
    const reporter = redactingListener((event) => seen.push(event), createRedactor(secrets));
    const report = (callId: string, value: unknown): void => reporter({ ...of(callId), type: "tool-progress", value });
    const values = () => seen.map((event) => (event.type === "tool-progress" ? event.value : event.type));
    return { seen, emit: reporter, report, values };
  }

  test("shows no piece of a secret", () => {
    for (const size of [1, 2, 3, 5, 8, 11, 1000]) {
      const { emit: emitProgress, report, values } = listening([secret, "another secret"]);
      const text = `The key is ${secret}, and ${secret} so on: ${secret}`;
      for (let at = 0; at < text.length; at += size) report("c0", text.slice(at, at + size));
      emitProgress(finished("c0"));
      expect(values().at(-1)).toBe("tool-finished");
      const shown = values().slice(0, -1).join("");
      expect(shown).toBe("The key is [redacted], and [redacted] so on: [redacted]");
    }
  });

  test("is shown completely and in order: half a number is a different number", () => {
    const { emit: emitProgress, report, values } = listening(["6th of May", "done it"]);
    report("c0", "10 of 16");
    expect(values()).toEqual([]);
    report("c0", "11 of 16");
    report("c0", "12 of 20");
    expect(values()).toEqual(["10 of 16", "11 of 16", "12 of 20"]);
    report("c0", "all d");
    emitProgress(finished("c1"));
    emitProgress(finished("c0"));
    expect(values().slice(3)).toEqual(["tool-finished", "all d", "tool-finished"]);
  });

  test("is separate from that of another call", () => {
    const { emit: emitProgress, report, values } = listening([secret]);
    report("c0", "so hunter2s");
    report("c1", "ecretvalue");
    emitProgress({ at: 2, runId: "r", type: "run-finished", status: "cancelled", answer: "", durationMs: 1, usage });
    expect(values()).toEqual(["ecretvalue", "so hunter2s", "run-finished"]);
  });

  test("progress that looks like a secret is not shown, nor is a secret in a value that is not a text", () => {
    const { report, values } = listening([secret]);
    report("c0", "password: opensesame");
    report("c0", { line: `key ${secret}` });
    report("c0", 3);
    expect(values()).toEqual(["password: [redacted]", { line: "key [redacted]" }, 3]);
  });

  test("is shown at once and unchanged if there is no known secret", () => {
    const { seen, emit: report } = listening([]);
    const event: AgentEvent = { ...of("c0"), type: "tool-progress", value: "hunter2s" };
    report(event);
    expect(seen[0]).toBe(event);
  });
});
