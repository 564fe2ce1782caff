import type { Listed } from "./catalog.ts";

/** Duties around a model turn and its tool calls, each of which costs time on every turn. */
export const agentDuties = [
  "validation",
  "permission",
  "deadline",
  "retries",
  "repetition",
  "limits",
  "record",
  "journal",
  "event",
] as const;

type AgentDuty = (typeof agentDuties)[number];

/** A contender, with those of the {@link agentDuties} that it does or offers. */
export interface AgentEntry extends Listed {
  readonly does: readonly AgentDuty[];
  readonly offers: readonly AgentDuty[];
}

export const agentEntries: readonly AgentEntry[] = [
  {
    id: "hand",
    label: "loop by hand",
    kind: "floor",
    file: "floor-agent",
    does: ["validation"],
    offers: [],
    note: "Lookup by name, `JSON.parse`, zod, `Promise.all`, and a growing list of messages: the baseline of all ratios.",
  },
  {
    id: "windlass",
    label: "**windlass** `createAgent`",
    kind: "windlass",
    file: "windlass-agent",
    does: ["validation", "permission", "deadline", "retries", "repetition", "limits", "record", "journal"],
    offers: ["event"],
    note: "Every call takes the full lifecycle of the engine. Every event is journaled, here in memory, so that a run can be replayed, suspended and resumed. Tool results are sanitized and cut to a view, taint the conversation, and are sent to the model once.",
  },
  {
    id: "windlass-listened",
    label: "**windlass** `createAgent`, with a listener",
    kind: "windlass",
    file: "windlass-agent",
    variant: "listened",
    does: ["validation", "permission", "deadline", "retries", "repetition", "limits", "record", "journal", "event"],
    offers: [],
    note: "The same with `onEvent`: model responses are streamed, and every turn and every call emits events at its start and its end.",
  },
  {
    id: "ai-sdk",
    label: "AI SDK `ToolLoopAgent`",
    kind: "peer",
    file: "ai-sdk-agent",
    package: "ai",
    does: ["validation", "retries"],
    offers: ["permission", "deadline", "limits", "event"],
    note: "`agent.generate`. The result of every step contains the request and the response. No records, no journal.",
  },
  {
    id: "openai-agents",
    label: "OpenAI Agents `Runner`",
    kind: "peer",
    file: "openai-agents-agent",
    package: "@openai/agents",
    does: ["validation"],
    offers: ["permission", "deadline", "retries", "limits", "journal", "event"],
    note: "`runner.run`, tracing off. Its state can be serialized between turns; here nothing is stored.",
  },
  {
    id: "langgraph",
    label: "LangGraph `createReactAgent`",
    kind: "peer",
    file: "langgraph-agent",
    package: "@langchain/langgraph",
    does: ["validation"],
    offers: ["permission", "deadline", "retries", "limits", "journal", "event"],
    note: "The prebuilt agent on which LangChain's own agent is based, without a checkpointer. Every step creates a callback manager, even without a listener.",
  },
  {
    id: "mastra",
    label: "Mastra `Agent`",
    kind: "peer",
    file: "mastra-agent",
    package: "@mastra/core",
    does: ["validation", "event"],
    offers: ["permission", "retries", "limits", "record", "journal"],
    note: "`agent.generate`, without storage, memory or observability. The loop is a workflow, and responses pass through a stream.",
  },
];

/** Number of turns with tool calls, and number of calls per turn. */
export const agentSizes = { turns: { few: 10, many: 50 }, calls: { one: 1, eight: 8 } } as const;
