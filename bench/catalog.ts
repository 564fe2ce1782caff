/** What can be done around a handler, and is paid for on every call. */
export const duties = ["validation", "admission", "deadline", "abort signal", "event", "record", "retries"] as const;

export type Duty = (typeof duties)[number];

/** Who is measured. */
export interface Listed {
  readonly id: string;
  readonly label: string;
  readonly kind: "floor" | "windlass" | "peer";
  /** The module in `contenders/`, and how it is told what to do. */
  readonly file: string;
  readonly variant?: string;
  /** The package it belongs to; the entry is left out when it is not installed. */
  readonly package?: string;
  readonly note: string;
}

/** Who is measured, and what it does for what it costs. */
export interface Entry extends Listed {
  readonly does?: readonly Duty[];
  /** What it can do, but does not in this measurement. */
  readonly offers?: readonly Duty[];
}

export const callEntries: readonly Entry[] = [
  {
    id: "zod",
    label: "zod + handler",
    kind: "floor",
    file: "floor-zod",
    does: ["validation"],
    note: "`handler(schema.parse(args))`: the floor that ratios refer to.",
  },
  {
    id: "bare",
    label: "handler alone",
    kind: "floor",
    file: "floor-bare",
    variant: "unchecked",
    note: "The handler on arguments that were checked before.",
  },
  {
    id: "guarded",
    label: "guarded by hand",
    kind: "floor",
    file: "floor-guarded",
    does: ["validation", "admission", "deadline", "abort signal"],
    note: "Look-up by name, `safeParse`, one of ten slots, `setTimeout` + `AbortController`, a result envelope.",
  },
  {
    id: "windlass",
    label: "**windlass**, by tool",
    kind: "windlass",
    file: "windlass-call",
    variant: "tool",
    does: [...duties],
    note: "`engine.call(tool, args)`. Permission rules and the output check are on as well; retries are armed, nothing fails. The abort signal is made when the handler asks for it, which this one does not.",
  },
  {
    id: "windlass-name",
    label: "**windlass**, by name",
    kind: "windlass",
    file: "windlass-call",
    variant: "name",
    does: [...duties],
    note: "`engine.call(name, args)`: the same, the tool looked up in the registry.",
  },
  {
    id: "windlass-signal",
    label: "**windlass**, signal used",
    kind: "windlass",
    file: "windlass-call",
    variant: "signal",
    does: [...duties],
    note: "The same with a handler that looks at its abort signal.",
  },
  {
    id: "mastra",
    label: "Mastra `createTool`",
    kind: "peer",
    file: "mastra",
    package: "@mastra/core",
    does: ["validation"],
    note: "`tool.execute(args, {})`. A refused input is returned as a value.",
  },
  {
    id: "ai-sdk",
    label: "AI SDK `tool`",
    kind: "peer",
    file: "ai-sdk",
    package: "ai",
    does: ["validation"],
    offers: ["deadline", "abort signal", "event"],
    note: "The two steps its loop takes per call, `safeValidateTypes` and `executeTool`; what it offers beyond happens in that loop.",
  },
  {
    id: "openai-agents",
    label: "OpenAI Agents `tool`",
    kind: "peer",
    file: "openai-agents",
    package: "@openai/agents",
    does: ["validation"],
    offers: ["deadline", "abort signal", "event"],
    note: "`tool.invoke(context, text)`: it takes the model's text, so parsing JSON is included.",
  },
  {
    id: "openai-agents-deadline",
    label: "OpenAI Agents `tool`, `timeoutMs`",
    kind: "peer",
    file: "openai-agents",
    variant: "deadline",
    package: "@openai/agents",
    does: ["validation", "deadline", "abort signal"],
    offers: ["event"],
    note: "The same with its deadline on.",
  },
  {
    id: "cockatiel",
    label: "zod + cockatiel",
    kind: "peer",
    file: "cockatiel-call",
    package: "cockatiel",
    does: ["validation", "admission", "deadline", "abort signal"],
    offers: ["event", "retries"],
    note: "`wrap(bulkhead, timeout)` around zod and the handler: the guarded floor from ready-made parts.",
  },
  {
    id: "langchain",
    label: "LangChain `tool`",
    kind: "peer",
    file: "langchain",
    package: "@langchain/core",
    does: ["validation"],
    offers: ["deadline", "abort signal", "event", "retries"],
    note: "`tool.invoke(args)`. A callback manager and a run are made for every call, also when nobody listens.",
  },
  {
    id: "langchain-deadline",
    label: "LangChain `tool`, `timeout`",
    kind: "peer",
    file: "langchain",
    variant: "deadline",
    package: "@langchain/core",
    does: ["validation", "deadline", "abort signal"],
    offers: ["event", "retries"],
    note: "The same with its deadline on.",
  },
];

const awaited: Entry = {
  id: "zod-awaited",
  label: "zod + handler, awaited",
  kind: "floor",
  file: "floor-zod-awaited",
  does: ["validation"],
  note: "Every contender answers with a promise, so the floor of a sync handler does too: its result in a promise, awaited.",
};

/** With a handler that answers at once, which needs no deadline and no signal. */
export const syncEntries: readonly Entry[] = callEntries
  .filter(({ variant }) => variant !== "deadline" && variant !== "signal")
  .map((entry) =>
    entry.id === "zod" ? { ...entry, label: "zod + handler, not awaited", note: "The same without a promise." } : entry,
  )
  .toSpliced(0, 0, awaited);

export const limitEntries: readonly Entry[] = [
  {
    id: "semaphore",
    label: "semaphore by hand",
    kind: "floor",
    file: "floor-semaphore",
    note: "A counter and a queue of wake-ups.",
  },
  {
    id: "windlass-scheduler",
    label: "**windlass** scheduler",
    kind: "windlass",
    file: "windlass-scheduler",
    note: "What `engine.call` uses: queue limit, a queue timeout per task, cancellation in the queue, buckets, priorities, figures.",
  },
  {
    id: "windlass-call",
    label: "**windlass** `engine.call`",
    kind: "windlass",
    file: "windlass-limit",
    note: "The whole lifecycle of a call, queued: also validation, permission, deadline, record, result.",
  },
  {
    id: "cockatiel-bulkhead",
    label: "cockatiel `bulkhead`",
    kind: "peer",
    file: "cockatiel-bulkhead",
    package: "cockatiel",
    note: "Queue limit. No queue timeout, no priorities.",
  },
  {
    id: "p-queue",
    label: "p-queue",
    kind: "peer",
    file: "p-queue",
    package: "p-queue",
    note: "Priorities, events. No queue limit, no queue timeout.",
  },
];

export const recordEntries: readonly Entry[] = [
  {
    id: "inserts",
    label: "raw inserts",
    kind: "floor",
    file: "floor-inserts",
    variant: "bare",
    note: "A prepared insert of ready-made values, 1,000 to a transaction, no index, on the main thread.",
  },
  {
    id: "inserts-indexed",
    label: "raw inserts, indexed",
    kind: "floor",
    file: "floor-inserts",
    variant: "indexed",
    note: "The same into the table of the store, with its indexes.",
  },
  {
    id: "windlass-records",
    label: "**windlass** SQLite store",
    kind: "windlass",
    file: "windlass-records",
    note: "From `add()` of plain objects to `flush()`: redaction and serialising on the main thread, writing on its own.",
  },
];

/** A process that is started and ends by itself. */
export interface StartEntry {
  readonly id: string;
  readonly label: string;
  readonly kind: "floor" | "windlass" | "peer";
  /** What it imports: Windlass itself, or a peer, … */
  readonly imports?: string;
  /** … or the arguments of `windlass`. */
  readonly cli?: readonly string[];
  /** Measured only until it prints this; to its end where absent. */
  readonly until?: string;
  readonly package?: string;
  readonly note: string;
}

export const startEntries: readonly StartEntry[] = [
  { id: "node", label: "bare node", kind: "floor", note: "An empty module: the floor that ratios refer to." },
  {
    id: "windlass",
    label: '`import "windlass"`',
    kind: "windlass",
    imports: "windlass",
    note: "The bundle; what it needs for YAML, JSON Schema, HTTP and SQLite is loaded on first use.",
  },
  { id: "help", label: "`windlass --help`", kind: "windlass", cli: ["--help"], note: "The CLI, no command loaded." },
  {
    id: "ask-help",
    label: "`windlass ask --help`",
    kind: "windlass",
    cli: ["ask", "--help"],
    note: "The command that asks an agent: no model, no workspace and no client is loaded for its help.",
  },
  {
    id: "validate",
    label: "`windlass validate` of a tool",
    kind: "windlass",
    cli: ["validate", "tools/http_request.yaml"],
    note: "One YAML tool file of a workspace, parsed and checked.",
  },
  {
    id: "validate-chain",
    label: "`windlass validate` of a chain",
    kind: "windlass",
    cli: ["validate", "chains/order.yaml"],
    note: "A chain of five steps in the same workspace, planned with its tools: no code is loaded.",
  },
  {
    id: "run-first",
    label: "`windlass run`, its first step",
    kind: "windlass",
    cli: ["run", "chains/order.yaml", "--events"],
    until: '"step_started"',
    note: "That chain, until it prints the event that its first step begins: the workspace is open, the chain planned, the run in the journal.",
  },
  {
    id: "run",
    label: "`windlass run`, to its end",
    kind: "windlass",
    cli: ["run", "chains/order.yaml", "--events"],
    note: "The same until the process has ended: all five steps, the journal closed.",
  },
  peer("zod", "zod"),
  peer("ai", "ai"),
  peer("@openai/agents", "@openai/agents"),
  peer("@langchain/core", "@langchain/core/tools"),
  peer("@mastra/core", "@mastra/core/tools"),
];

function peer(name: string, imports: string): StartEntry {
  return { id: name, label: `\`import "${imports}"\``, kind: "peer", imports, package: name, note: "" };
}
