import type { Entry } from "./catalog.ts";

const guardedDuties = ["validation", "admission", "deadline", "abort signal"] as const;

/** Contenders of the sequence suite; the same ones run a thousand concurrent chains. */
export const sequenceEntries: readonly Entry[] = [
  {
    id: "guarded",
    label: "guarded by hand",
    kind: "floor",
    file: "floor-sequence",
    does: guardedDuties,
    note: "Lookup by name, `safeParse`, a slot, `setTimeout` + `AbortController`, a result envelope; awaited one after the other: the baseline of all ratios. Because it is the only timer, Node creates a new timer list for each call; in a program with other timers of that duration it takes about half as long.",
  },
  {
    id: "guarded-duties",
    label: "guarded by hand, with the duties of a step",
    kind: "floor",
    file: "floor-sequence-duties",
    does: [...guardedDuties, "record"],
    note: "The same, plus the other duties of a chain step by hand: arguments from references, a state for the log, an id, a record, a copy of the arguments, the output check, a permission rule, and registration for cancellation. It has no retries, no skips, no journal and no limits per category.",
  },
  {
    id: "windlass",
    label: "**windlass** `runChain`",
    kind: "windlass",
    file: "windlass-sequence",
    does: [...guardedDuties, "record"],
    offers: ["event", "retries"],
    note: "The plan is created beforehand; each step refers to the output of the previous step. The full lifecycle of a call, and for each step: condition, slots, scope, state for the log and `explain`. The abort signal is created on first access, and this handler does not access it. The run is held in memory.",
  },
  {
    id: "windlass-listened",
    label: "**windlass** `runChain`, with a listener",
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
    note: "A state per step that invokes a promise; zod is called by hand. No limit, no retries, no record.",
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
    note: "Tools piped into one another. No limit, no record.",
  },
  {
    id: "langgraph",
    label: "LangGraph `StateGraph`",
    kind: "peer",
    file: "langgraph-sequence",
    package: "@langchain/langgraph",
    does: ["validation"],
    offers: ["admission", "deadline", "abort signal", "event", "record", "retries"],
    note: "A node per step, without a checkpointer; zod is called by hand.",
  },
];

export const fanoutSizes = { small: 1000, large: 10_000 } as const;

export const fanoutEntries: readonly Entry[] = [
  {
    id: "guarded",
    label: "guarded by hand",
    kind: "floor",
    file: "floor-fanout",
    note: "The guarded calls from above under `Promise.all`, and one more call that receives their outputs.",
  },
  {
    id: "windlass",
    label: "**windlass**, a step for each",
    kind: "windlass",
    file: "windlass-fanout",
    variant: "steps",
    note: "One planned step per item, `max_parallel` equal to their number, and one step that refers to all of them. Their parameters have the same text, and equal texts are compiled once per chain.",
  },
  {
    id: "windlass-for-each",
    label: "**windlass** `for_each`",
    kind: "windlass",
    file: "windlass-fanout",
    variant: "for_each",
    note: "One step over a list, with `concurrency` equal to the number of items. Each item is a separate call with its own state.",
  },
  {
    id: "mastra-foreach",
    label: "Mastra `foreach`",
    kind: "peer",
    file: "mastra-fanout",
    variant: "foreach",
    package: "@mastra/core",
    note: "`concurrency` equal to the number of items.",
  },
  {
    id: "mastra-parallel",
    label: "Mastra `parallel`",
    kind: "peer",
    file: "mastra-fanout",
    variant: "parallel",
    package: "@mastra/core",
    note: "One step per item.",
  },
  {
    id: "langchain-batch",
    label: "LangChain `batch`",
    kind: "peer",
    file: "langchain-fanout",
    variant: "batch",
    package: "@langchain/core",
    note: "One tool, a batch of inputs, and a joining tool that is called by hand: not a chain.",
  },
  {
    id: "langchain-map",
    label: "LangChain `RunnableMap`",
    kind: "peer",
    file: "langchain-fanout",
    variant: "map",
    package: "@langchain/core",
    note: "One tool per item in a map, piped into a joining tool.",
  },
  {
    id: "langgraph",
    label: "LangGraph `Send`",
    kind: "peer",
    file: "langgraph-fanout",
    package: "@langchain/langgraph",
    note: "One `Send` per item to the same node, whose results a reducer collects; zod is called by hand.",
  },
];

export const dagEntries: readonly Entry[] = [
  {
    id: "promises",
    label: "promises by hand",
    kind: "floor",
    file: "floor-dag",
    variant: "promises",
    note: "Each step awaits its dependencies; zod, and nothing else around the function.",
  },
  {
    id: "levels",
    label: "levels by hand",
    kind: "floor",
    file: "floor-dag",
    variant: "levels",
    note: "One level of the graph after the other, without any other cost: the lower bound for engines that wait for whole levels.",
  },
  {
    id: "windlass",
    label: "**windlass** `runChain`",
    kind: "windlass",
    file: "windlass-dag",
    note: "A step starts as soon as the steps that it refers to have finished.",
  },
  {
    id: "langchain",
    label: "LangChain `RunnablePassthrough.assign`",
    kind: "peer",
    file: "langchain-dag",
    package: "@langchain/core",
    note: "One per level.",
  },
  {
    id: "langgraph",
    label: "LangGraph `StateGraph`",
    kind: "peer",
    file: "langgraph-dag",
    package: "@langchain/langgraph",
    note: "An edge per dependency; the graph advances in supersteps.",
  },
  {
    id: "mastra",
    label: "Mastra workflow",
    kind: "peer",
    file: "mastra-dag",
    package: "@mastra/core",
    note: "One `parallel` per level.",
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
    note: "Prepared inserts of a start, an outcome and a precomputed record; all runs proceed in lockstep and share two commits per step. No index, no leases, no log, on the main thread.",
  },
  {
    id: "windlass",
    label: "**windlass** `ChainRuns`",
    kind: "windlass",
    file: "windlass-durable",
    note: "Complete runs, from the row of the run to its end: lease and order are checked on every write, record and outcome share one transaction, and a worker thread writes.",
  },
];
