import type { CallRecord } from "../../src/store/index.ts";

let count = 0;

/** A record like those the engine makes, with what the test cares about. */
export function sampleRecord(input: Partial<CallRecord> = {}): CallRecord {
  count++;
  return {
    id: `sample-${count}`,
    tool: "search",
    version: "1.0.0",
    source: "tools",
    category: "general",
    args: { query: `question ${count}` },
    success: true,
    ...(input.success !== false && { output: { answer: count } }),
    durationMs: 1.5,
    queuedMs: 0.25,
    attempts: 1,
    cached: false,
    callerType: "direct",
    createdAt: 1_700_000_000_000 + count,
    ...input,
  };
}

/** A record of a failed call. */
export function failedRecord(
  code: "timeout" | "execution_error" | "approval_required",
  input: Partial<CallRecord> = {},
): CallRecord {
  return sampleRecord({
    success: false,
    error: { code, message: `it failed: ${code}`, forModel: `it failed: ${code}`, retry: "safe" },
    ...input,
  });
}
