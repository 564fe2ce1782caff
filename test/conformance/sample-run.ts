import type { CallRecord, JournalEvent, NewJournalEvent, NewRun, RunOwner } from "../../src/store/index.ts";
import { sampleRecord } from "./sample-record.ts";

/** An owner that is alive as long as the test: this process. */
export function sampleOwner(id: string, given: Partial<RunOwner> = {}): RunOwner {
  return { id, pid: process.pid, processStart: "", bootId: "", ...given };
}

/** A run like those a host makes. */
export function sampleRun(id: string, given: Partial<NewRun> = {}): NewRun {
  return {
    id,
    chain: "research",
    definition: JSON.stringify({ name: "research", steps: [{ id: "search", tool: "search" }] }),
    input: JSON.stringify({ topic: "漢字 🚀" }),
    context: JSON.stringify({ user: "ann" }),
    format: 1,
    fingerprints: JSON.stringify({ search: "abc" }),
    startedAt: 1000,
    ...given,
  };
}

/** An event that tells of a call and its output. */
export function sampleEvent(seq: number, output: unknown = { answer: seq }): JournalEvent {
  const result = { success: true, tool: "search", output, durationMs: 1.5 };
  return { seq, kind: "settled", key: `search#${seq}`, at: 1000 + seq, data: { kind: "call", result, effect: "read" } };
}

/** The same with its record, whose output is the very same value. */
export function settledCall(seq: number, output: unknown, given: Partial<CallRecord> = {}): NewJournalEvent {
  return { ...sampleEvent(seq, output), record: sampleRecord({ callerType: "workflow_node", output, ...given }) };
}
