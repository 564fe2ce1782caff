import type { Listed } from "./catalog.ts";

/** What can be done around a turn of a model and its calls, and is paid for every time. */
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

/** Who is measured, and what it does of {@link agentDuties}. */
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
    note: "Look-up by name, `JSON.parse`, zod, `Promise.all`, and a list of messages that grows: the floor that ratios refer to.",
  },
  {
    id: "windlass",
    label: "**windlass** `createAgent`",
    kind: "windlass",
    file: "windlass-agent",
    does: ["validation", "permission", "deadline", "retries", "repetition", "limits", "record", "journal"],
    offers: ["event"],
    note: "Each call goes through the engine with its whole lifecycle; what happens is journaled, in memory here, so that a run can be told again, waited for and taken up. What tools give is cleaned and cut to a view, taints the conversation, and is told to the model once.",
  },
  {
    id: "windlass-listened",
    label: "**windlass** `createAgent`, listened to",
    kind: "windlass",
    file: "windlass-agent",
    variant: "listened",
    does: ["validation", "permission", "deadline", "retries", "repetition", "limits", "record", "journal", "event"],
    offers: [],
    note: "The same with `onEvent`: the answers of the model are streamed, and each turn and each call tells how it begins and ends.",
  },
  {
    id: "ai-sdk",
    label: "AI SDK `ToolLoopAgent`",
    kind: "peer",
    file: "ai-sdk-agent",
    package: "ai",
    does: ["validation", "retries"],
    offers: ["permission", "deadline", "limits", "event"],
    note: "`agent.generate`. Every step keeps the request and the response in its result. No records, no journal.",
  },
  {
    id: "openai-agents",
    label: "OpenAI Agents `Runner`",
    kind: "peer",
    file: "openai-agents-agent",
    package: "@openai/agents",
    does: ["validation"],
    offers: ["permission", "deadline", "retries", "limits", "journal", "event"],
    note: "`runner.run`, tracing off. Its state can be written out between turns; nothing is kept here.",
  },
  {
    id: "langgraph",
    label: "LangGraph `createReactAgent`",
    kind: "peer",
    file: "langgraph-agent",
    package: "@langchain/langgraph",
    does: ["validation"],
    offers: ["permission", "deadline", "retries", "limits", "journal", "event"],
    note: "The ready-made agent that LangChain's own is built on, without a checkpointer. A callback manager is made for every step, also when nobody listens.",
  },
  {
    id: "mastra",
    label: "Mastra `Agent`",
    kind: "peer",
    file: "mastra-agent",
    package: "@mastra/core",
    does: ["validation", "event"],
    offers: ["permission", "retries", "limits", "record", "journal"],
    note: "`agent.generate`, without storage, memory or observability. The loop is a workflow, and answers pass through a stream.",
  },
];

/** Turns with tool calls, and calls in each. */
export const agentSizes = { turns: { few: 10, many: 50 }, calls: { one: 1, eight: 8 } } as const;
