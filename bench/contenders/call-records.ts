import type { CallRecord } from "../../src/store/index.ts";

/** Records of an agent that reads pages; one in twenty failed. */
export function callRecords(first: number, count: number): CallRecord[] {
  return Array.from({ length: count }, (_, index) => callRecord(first + index));
}

function callRecord(number: number): CallRecord {
  const common = {
    id: `k3j9x0q2ab5z-${number.toString(36)}`,
    tool: `tool_${number % 20}`,
    version: "1.0.0",
    source: "tools",
    category: "http",
    args: { url: `https://example.com/pages/${number}`, method: "GET", timeout: 30 },
    durationMs: (number % 97) + 0.25,
    queuedMs: 0.01,
    attempts: 1,
    cached: false,
    callerType: "conversation_agent",
    callerId: "agent-1",
    conversationId: `conversation-${number % 50}`,
    createdAt: 1_700_000_000_000 + number,
  } as const;
  if (number % 20 === 0) {
    const message = "it took too long";
    return { ...common, success: false, error: { code: "timeout", message, forModel: message, retry: "safe" } };
  }
  const text = "A line of text as a page may have it, and not a short one";
  return { ...common, success: true, output: { status: 200, title: `Page ${number}`, text } };
}
