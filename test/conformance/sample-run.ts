import type { CallRecord, JournalEvent, NewJournalEvent, NewRun } from "../../src/store/index.ts";
import { sampleRecord } from "./sample-record.ts";

/** A run like those a host makes. */
export function sampleRun(id: string, input: Partial<NewRun> = {}): NewRun {
  return {
    id,
    kind: "chain",
    name: "research",
    definition: JSON.stringify({ name: "research", steps: [{ id: "search", tool: "search" }] }),
    input: JSON.stringify({ topic: "漢字 🚀" }),
    context: JSON.stringify({ user: "ann" }),
    format: 1,
    fingerprints: JSON.stringify({ search: "abc" }),
    startedAt: 1000,
    ...input,
  };
}

/** An event of a call and its output. */
export function sampleEvent(seq: number, output: unknown = { answer: seq }): JournalEvent {
  const result = { success: true, tool: "search", output, durationMs: 1.5 };
  return { seq, kind: "settled", key: `search#${seq}`, at: 1000 + seq, data: { kind: "call", result, effect: "read" } };
}

/** The same with its record, whose output is the very same value. */
export function settledCall(seq: number, output: unknown, input: Partial<CallRecord> = {}): NewJournalEvent {
  return { ...sampleEvent(seq, output), record: sampleRecord({ callerType: "workflow_node", output, ...input }) };
}
