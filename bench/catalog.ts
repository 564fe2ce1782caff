/** Duties around a handler, each of which costs time on every call. */
export const duties = ["validation", "admission", "deadline", "abort signal", "event", "record", "retries"] as const;

export type Duty = (typeof duties)[number];

/** A contender. */
export interface Listed {
  readonly id: string;
  readonly label: string;
  readonly kind: "floor" | "windlass" | "peer";
  /** Name of the module in `contenders/`; `variant` is passed to its `create()`. */
  readonly file: string;
  readonly variant?: string;
  /** Package of the contender; the entry is skipped if the package is not installed. */
  readonly package?: string;
  readonly note: string;
}

/** A contender of calls or chains, with the duties that its cost includes. */
export interface Entry extends Listed {
  readonly does?: readonly Duty[];
  /** Duties that it supports, but that are off in this measurement. */
  readonly offers?: readonly Duty[];
}

export const callEntries: readonly Entry[] = [
  {
    id: "zod",
    label: "zod + handler",
    kind: "floor",
    file: "floor-zod",
    does: ["validation"],
    note: "`handler(schema.parse(args))`: the baseline of all ratios.",
  },
  {
    id: "bare",
    label: "handler alone",
    kind: "floor",
    file: "floor-bare",
    variant: "unchecked",
    note: "The handler with arguments that were validated before.",
  },
  {
    id: "guarded",
    label: "guarded by hand",
    kind: "floor",
    file: "floor-guarded",
    does: ["validation", "admission", "deadline", "abort signal"],
    note: "Lookup by name, `safeParse`, one of ten slots, `setTimeout` + `AbortController`, a result envelope.",
  },
  {
    id: "windlass",
    label: "**windlass**, by tool",
    kind: "windlass",
    file: "windlass-call",
    variant: "tool",
    does: [...duties],
    note: "`engine.call(tool, args)`. Permission rules and the output check are on as well; retries are enabled, but nothing fails. The abort signal is created on first access, and this handler does not access it.",
  },
  {
    id: "windlass-name",
    label: "**windlass**, by name",
    kind: "windlass",
    file: "windlass-call",
    variant: "name",
    does: [...duties],
    note: "`engine.call(name, args)`: the same, with a lookup of the tool in the registry.",
  },
  {
    id: "windlass-signal",
    label: "**windlass**, signal used",
    kind: "windlass",
    file: "windlass-call",
    variant: "signal",
    does: [...duties],
    note: "The same with a handler that reads its abort signal.",
  },
  {
    id: "mastra",
    label: "Mastra `createTool`",
    kind: "peer",
    file: "mastra",
    package: "@mastra/core",
    does: ["validation"],
    note: "`tool.execute(args, {})`. An invalid input is returned as a value.",
  },
  {
    id: "ai-sdk",
    label: "AI SDK `tool`",
    kind: "peer",
    file: "ai-sdk",
    package: "ai",
    does: ["validation"],
    offers: ["deadline", "abort signal", "event"],
    note: "The two steps of its loop for each call, `safeValidateTypes` and `executeTool`; its other duties are part of that loop.",
  },
  {
    id: "openai-agents",
    label: "OpenAI Agents `tool`",
    kind: "peer",
    file: "openai-agents",
    package: "@openai/agents",
    does: ["validation"],
    offers: ["deadline", "abort signal", "event"],
    note: "`tool.invoke(context, text)`: the input is the text from the model, so JSON parsing is included.",
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
    note: "`wrap(bulkhead, timeout)` around zod and the handler: the guarded baseline, built from library parts.",
  },
  {
    id: "langchain",
    label: "LangChain `tool`",
    kind: "peer",
    file: "langchain",
    package: "@langchain/core",
    does: ["validation"],
    offers: ["deadline", "abort signal", "event", "retries"],
    note: "`tool.invoke(args)`. Every call creates a callback manager and a run, even without a listener.",
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
  note: "Every contender returns a promise, so the baseline of a sync handler does too: its result in a promise, awaited.",
};

/** Contenders with a synchronous handler, which needs neither a deadline nor a signal. */
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
    note: "A counter and a queue of waiting resolvers.",
  },
  {
    id: "windlass-scheduler",
    label: "**windlass** scheduler",
    kind: "windlass",
    file: "windlass-scheduler",
    note: "The scheduler behind `engine.call`: queue limit, a queue timeout per task, cancellation in the queue, buckets, priorities, metrics.",
  },
  {
    id: "windlass-call",
    label: "**windlass** `engine.call`",
    kind: "windlass",
    file: "windlass-limit",
    note: "The full lifecycle of a queued call, including validation, permission, deadline, record and result.",
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
    note: "A prepared insert of precomputed values, 1,000 per transaction, no index, on the main thread.",
  },
  {
    id: "inserts-indexed",
    label: "raw inserts, indexed",
    kind: "floor",
    file: "floor-inserts",
    variant: "indexed",
    note: "The same into the store's own table, with its indexes.",
  },
  {
    id: "windlass-records",
    label: "**windlass** SQLite store",
    kind: "windlass",
    file: "windlass-records",
    note: "From `add()` of plain objects to `flush()`: redaction and serialization on the main thread, writing on a worker thread.",
  },
];

/** A process that is started and exits by itself. */
export interface StartEntry {
  readonly id: string;
  readonly label: string;
  readonly kind: "floor" | "windlass" | "peer";
  /** Modules that the process imports: Windlass or a peer, … */
  readonly imports?: readonly string[];
  /** … or the arguments of `windlass`. */
  readonly cli?: readonly string[];
  /** Text whose output ends the measurement. Default: the measurement ends when the process exits. */
  readonly until?: string;
  readonly package?: string;
  readonly note: string;
}

export const startEntries: readonly StartEntry[] = [
  { id: "node", label: "bare node", kind: "floor", note: "An empty module: the baseline of all ratios." },
  {
    id: "windlass",
    label: '`import "windlass"`',
    kind: "windlass",
    imports: ["windlass"],
    note: "The bundle; the modules for YAML, JSON Schema, HTTP and SQLite are loaded on first use.",
  },
  {
    id: "windlass-all",
    label: "all entries of `windlass`",
    kind: "windlass",
    imports: ["", "/agent", "/chain", "/hub", "/mcp", "/otel", "/testing", "/tools"].map((entry) => `windlass${entry}`),
    note: "Every entry of the package that needs no optional peer dependency.",
  },
  {
    id: "help",
    label: "`windlass --help`",
    kind: "windlass",
    cli: ["--help"],
    note: "The CLI, without loading a command.",
  },
  {
    id: "ask-help",
    label: "`windlass ask --help`",
    kind: "windlass",
    cli: ["ask", "--help"],
    note: "Help of the command that prompts an agent: it loads no model, no workspace and no client.",
  },
  {
    id: "validate",
    label: "`windlass validate` of a tool",
    kind: "windlass",
    cli: ["validate", "tools/http_request.yaml"],
    note: "One YAML tool file of a workspace, parsed and validated.",
  },
  {
    id: "validate-chain",
    label: "`windlass validate` of a chain",
    kind: "windlass",
    cli: ["validate", "chains/order.yaml"],
    note: "A chain of five steps in the same workspace, planned with its tools, without loading tool code.",
  },
  {
    id: "run-first",
    label: "`windlass run`, its first step",
    kind: "windlass",
    cli: ["run", "chains/order.yaml", "--events"],
    until: '"step_started"',
    note: "That chain, until the program prints the `step_started` event of the first step: the workspace is open, the chain is planned, and the run is in the journal.",
  },
  {
    id: "run",
    label: "`windlass run`, to its end",
    kind: "windlass",
    cli: ["run", "chains/order.yaml", "--events"],
    note: "The same until the process exits: all five steps have run and the journal is closed.",
  },
  peer("zod", "zod"),
  peer("ai", "ai"),
  peer("@openai/agents", "@openai/agents"),
  peer("@langchain/core", "@langchain/core/tools"),
  peer("@mastra/core", "@mastra/core/tools"),
];

function peer(name: string, imports: string): StartEntry {
  return { id: name, label: `\`import "${imports}"\``, kind: "peer", imports: [imports], package: name, note: "" };
}
