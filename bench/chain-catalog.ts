import type { Entry } from "./catalog.ts";

const guardedDuties = ["validation", "admission", "deadline", "abort signal"] as const;

/** Steps in a row; the same contenders run a thousand chains at once. */
export const sequenceEntries: readonly Entry[] = [
  {
    id: "guarded",
    label: "guarded by hand",
    kind: "floor",
    file: "floor-sequence",
    does: guardedDuties,
    note: "Look-up by name, `safeParse`, a slot, `setTimeout` + `AbortController`, a result envelope; awaited in a row: the floor that ratios refer to. Its only timer has Node make a list of timers anew for each call; in a program with other timers of that length it takes about half as long.",
  },
  {
    id: "guarded-duties",
    label: "guarded by hand, with the duties of a step",
    kind: "floor",
    file: "floor-sequence-duties",
    does: [...guardedDuties, "record"],
    note: "The same, and by hand what a step of a chain does besides: arguments from references, a state for the log, an id, a record, an own copy of the arguments, the check of the output, a rule, and being found to be stopped. It has no retries, no skips, no journal and no limits per category.",
  },
  {
    id: "windlass",
    label: "**windlass** `runChain`",
    kind: "windlass",
    file: "windlass-sequence",
    does: [...guardedDuties, "record"],
    offers: ["event", "retries"],
    note: "A plan made before; each step reads the one before by a reference. The whole lifecycle of a call, and for each step: condition, places, scope, state for the log and `explain`. The abort signal is made when a handler asks for it, which this one does not. The run lives in memory.",
  },
  {
    id: "windlass-listened",
    label: "**windlass** `runChain`, listened to",
    kind: "windlass",
    file: "windlass-sequence",
    variant: "listened",
    does: [...guardedDuties, "event", "record"],
    offers: ["retries"],
    note: "The same with `onEvent` and a subscriber of the engine: four events for each step.",
  },
  {
    id: "xstate",
    label: "XState machine",
    kind: "peer",
    file: "xstate-sequence",
    package: "xstate",
    does: ["validation", "abort signal"],
    offers: ["deadline", "event"],
    note: "A state for each step that invokes a promise; zod is called by hand. No limit, no retries, no record.",
  },
  {
    id: "mastra",
    label: "Mastra workflow",
    kind: "peer",
    file: "mastra-sequence",
    package: "@mastra/core",
    does: ["validation", "abort signal", "event"],
    offers: ["record", "retries"],
    note: "`createWorkflow().then(step)…`, without storage. No limit, no deadline.",
  },
  {
    id: "langchain",
    label: "LangChain `RunnableSequence`",
    kind: "peer",
    file: "langchain-sequence",
    package: "@langchain/core",
    does: ["validation"],
    offers: ["deadline", "abort signal", "event", "retries"],
    note: "Tools piped into each other. No limit, no record.",
  },
  {
    id: "langgraph",
    label: "LangGraph `StateGraph`",
    kind: "peer",
    file: "langgraph-sequence",
    package: "@langchain/langgraph",
    does: ["validation"],
    offers: ["admission", "deadline", "abort signal", "event", "record", "retries"],
    note: "A node for each step, without a checkpointer; zod is called by hand.",
  },
];

export const fanoutSizes = { small: 1000, large: 10_000 } as const;

export const fanoutEntries: readonly Entry[] = [
  {
    id: "guarded",
    label: "guarded by hand",
    kind: "floor",
    file: "floor-fanout",
    note: "The guarded calls of above under `Promise.all`, and one more that is given what they gave.",
  },
  {
    id: "windlass",
    label: "**windlass**, a step for each",
    kind: "windlass",
    file: "windlass-fanout",
    variant: "steps",
    note: "That many steps in the plan, `max_parallel` as many, and one that refers to all of them. Their parameters are written alike, and equal texts are compiled once per chain.",
  },
  {
    id: "windlass-for-each",
    label: "**windlass** `for_each`",
    kind: "windlass",
    file: "windlass-fanout",
    variant: "for_each",
    note: "One step over a list, `concurrency` as many as it has items. Each item is a call of its own, with its own state.",
  },
  {
    id: "mastra-foreach",
    label: "Mastra `foreach`",
    kind: "peer",
    file: "mastra-fanout",
    variant: "foreach",
    package: "@mastra/core",
    note: "`concurrency` as many as there are items.",
  },
  {
    id: "mastra-parallel",
    label: "Mastra `parallel`",
    kind: "peer",
    file: "mastra-fanout",
    variant: "parallel",
    package: "@mastra/core",
    note: "That many steps.",
  },
  {
    id: "langchain-batch",
    label: "LangChain `batch`",
    kind: "peer",
    file: "langchain-fanout",
    variant: "batch",
    package: "@langchain/core",
    note: "One tool, a batch of inputs, and a tool that joins, called by hand: no chain.",
  },
  {
    id: "langchain-map",
    label: "LangChain `RunnableMap`",
    kind: "peer",
    file: "langchain-fanout",
    variant: "map",
    package: "@langchain/core",
    note: "That many tools in a map, piped into one that joins.",
  },
  {
    id: "langgraph",
    label: "LangGraph `Send`",
    kind: "peer",
    file: "langgraph-fanout",
    package: "@langchain/langgraph",
    note: "A `Send` for each to one node, whose results a reducer gathers; zod is called by hand.",
  },
];

export const dagEntries: readonly Entry[] = [
  {
    id: "promises",
    label: "promises by hand",
    kind: "floor",
    file: "floor-dag",
    variant: "promises",
    note: "Each step awaits those it needs; zod, and nothing else around the function.",
  },
  {
    id: "levels",
    label: "levels by hand",
    kind: "floor",
    file: "floor-dag",
    variant: "levels",
    note: "One level of the graph after the other, without any other cost: the best that whoever waits for whole levels can do.",
  },
  {
    id: "windlass",
    label: "**windlass** `runChain`",
    kind: "windlass",
    file: "windlass-dag",
    note: "A step begins when those that it refers to have ended.",
  },
  {
    id: "langchain",
    label: "LangChain `RunnablePassthrough.assign`",
    kind: "peer",
    file: "langchain-dag",
    package: "@langchain/core",
    note: "One for each level.",
  },
  {
    id: "langgraph",
    label: "LangGraph `StateGraph`",
    kind: "peer",
    file: "langgraph-dag",
    package: "@langchain/langgraph",
    note: "An edge for each need; it works in steps of the whole graph.",
  },
  {
    id: "mastra",
    label: "Mastra workflow",
    kind: "peer",
    file: "mastra-dag",
    package: "@mastra/core",
    note: "`parallel` for each level.",
  },
];

export const concurrentEntries: readonly Entry[] = sequenceEntries
  .filter(({ variant }) => variant !== "listened")
  .map((entry) => ({ ...entry, note: "" }));

export const durableEntries: readonly Entry[] = [
  {
    id: "inserts",
    label: "raw inserts",
    kind: "floor",
    file: "floor-durable",
    note: "Prepared inserts of a start, an outcome and a ready-made record; all runs go in step and share two commits for each step. No index, no leases, no log, on the main thread.",
  },
  {
    id: "windlass",
    label: "**windlass** `ChainRuns`",
    kind: "windlass",
    file: "windlass-durable",
    note: "Whole runs, from the run's own row to its end: lease and order checked at every write, record and outcome in one transaction, written by another thread.",
  },
];
