import { growthOf } from "./agent-table.ts";
import { conversationSizes } from "./conversation-suite.ts";
import type { AgentCosts, Cost, Row, Suites, Verdict } from "./results.ts";
import { figure } from "./table.ts";

interface Budget {
  readonly id: string;
  readonly suite: keyof Suites;
  readonly what: string;
  /** Upper bound of the figure, … */
  readonly max?: number;
  /** … or its lower bound. */
  readonly min?: number;
  readonly figure: (suites: Suites) => number | undefined;
}

const ratio = (rows: readonly Row[] | undefined, id: string): number | undefined => find(rows, id)?.ratio.median;
const bytes = (rows: readonly Row[] | undefined, id: string): number | undefined => find(rows, id)?.bytes;

/** The budgets; `npm run bench -- --check` fails if one of them is broken. */
const budgets: readonly Budget[] = [
  {
    id: "sync",
    suite: "sync",
    what: "a call, sync handler: × zod + handler, awaited",
    max: 4,
    figure: ({ sync }) => ratio(sync, "windlass"),
  },
  {
    id: "sync-name",
    suite: "sync",
    what: "the same, called by name: × zod + handler",
    max: 4,
    figure: ({ sync }) => ratio(sync, "windlass-name"),
  },
  {
    id: "async",
    suite: "async",
    what: "a call, async handler: × zod + handler",
    max: 4,
    figure: ({ async }) => ratio(async, "windlass"),
  },
  {
    id: "async-name",
    suite: "async",
    what: "the same, called by name: × zod + handler",
    max: 4,
    figure: ({ async }) => ratio(async, "windlass-name"),
  },
  {
    id: "sync-bytes",
    suite: "sync",
    what: "a call, sync handler: bytes",
    max: 4096,
    figure: ({ sync }) => bytes(sync, "windlass"),
  },
  {
    id: "async-bytes",
    suite: "async",
    what: "a call, async handler: bytes",
    max: 4096,
    figure: ({ async }) => bytes(async, "windlass"),
  },
  {
    id: "limit",
    suite: "limit",
    what: "10,000 tasks under a limit of 10: × semaphore",
    max: 4,
    figure: ({ limit }) => ratio(limit, "windlass-scheduler"),
  },
  {
    id: "limit-bytes",
    suite: "limit",
    what: "a queued task: bytes",
    max: 800,
    figure: ({ limit }) => bytes(limit, "windlass-scheduler"),
  },
  {
    id: "records",
    suite: "records",
    what: "records into SQLite, flushed: per second",
    min: 20_000,
    figure: ({ records }) => find(records, "windlass-records")?.perSecond.median,
  },
  {
    id: "sequence",
    suite: "sequence",
    what: "100 steps in a row, per step: × guarded by hand",
    max: 2,
    figure: ({ sequence }) => ratio(sequence, "windlass"),
  },
  ...fanoutBudgets("windlass", "a step for each"),
  ...fanoutBudgets("windlass-for-each", "`for_each`"),
  {
    id: "dag",
    suite: "dag",
    what: "graphs of steps that wait: × critical path",
    max: 1.03,
    figure: ({ dag }) => costRatio(find(dag, "windlass")?.wall),
  },
  {
    id: "concurrent",
    suite: "concurrent",
    what: "1,000 chains of ten steps of 10 ms at once: × 100 ms",
    max: 1.3,
    figure: ({ concurrent }) => costRatio(find(concurrent, "windlass")?.wall),
  },
  {
    id: "durable",
    suite: "durable",
    what: "steps that write, in SQLite: per second",
    min: 20_000,
    figure: ({ durable }) => find(durable, "windlass")?.perSecond.median,
  },
  ...agentBudgets("one", "one call", 12.5),
  ...agentBudgets("eight", "eight calls", 6.35),
  ...conversationBudgets("session", "in a session"),
  ...conversationBudgets("run", "by `agent.run`"),
  {
    id: "http",
    suite: "http",
    what: "`echo` over HTTP: × bare Hono",
    max: 2.5,
    figure: ({ http }) => ratio(http, "windlass"),
  },
  {
    id: "import",
    suite: "start",
    what: '`import "windlass"`: × bare node',
    max: 1.5,
    figure: ({ start }) => startRatio(start, "windlass"),
  },
  {
    id: "import-all",
    suite: "start",
    what: "all entries without optional peers: × bare node",
    max: 3,
    figure: ({ start }) => startRatio(start, "windlass-all"),
  },
  {
    id: "dist",
    suite: "start",
    what: "size of `dist` in the package: MB",
    max: 8,
    figure: ({ start }) => find(start, "windlass")?.distMb,
  },
  {
    id: "help",
    suite: "start",
    what: "`windlass --help`: × bare node",
    max: 1.8,
    figure: ({ start }) => startRatio(start, "help"),
  },
  {
    id: "ask-help",
    suite: "start",
    what: "`windlass ask --help`: × bare node",
    max: 2,
    figure: ({ start }) => startRatio(start, "ask-help"),
  },
  {
    id: "validate",
    suite: "start",
    what: "`windlass validate` of a tool file: × bare node",
    max: 3,
    figure: ({ start }) => startRatio(start, "validate"),
  },
  {
    id: "validate-chain",
    suite: "start",
    what: "`windlass validate` of a chain: × bare node",
    max: 3,
    figure: ({ start }) => startRatio(start, "validate-chain"),
  },
  {
    id: "run-first",
    suite: "start",
    what: "`windlass run` until its first step begins: × bare node",
    max: 4,
    figure: ({ start }) => startRatio(start, "run-first"),
  },
];

function conversationBudgets(id: string, how: string): readonly Budget[] {
  const { early, late } = conversationSizes;
  return [
    {
      id: `conversation-${id}`,
      suite: "conversation",
      what: `a prompt after ${figure(late)} others, ${how}: × after ${early}`,
      max: 1.5,
      figure: ({ conversation }) => conversation?.find((row) => row.id === id)?.ratio.median,
    },
  ];
}

function fanoutBudgets(id: string, how: string): readonly Budget[] {
  const small = ({ fanout }: Suites): number | undefined => costRatio(find(fanout, id)?.small);
  const large = ({ fanout }: Suites): number | undefined => costRatio(find(fanout, id)?.large);
  return [
    { id: `fanout-1k-${id}`, suite: "fanout", what: `1,000 steps, ${how}: × guarded by hand`, max: 2, figure: small },
    {
      id: `fanout-10k-${id}`,
      suite: "fanout",
      what: `10,000 steps, ${how}: × guarded by hand`,
      max: 2,
      figure: large,
    },
    {
      id: `fanout-growth-${id}`,
      suite: "fanout",
      what: `from 1,000 to 10,000 steps, ${how}: growth × that of the baseline`,
      max: 1.1,
      // Both figures are ratios to the baseline, so that the growth of the baseline itself cancels out.
      figure: (suites) => {
        const [one, ten] = [small(suites), large(suites)];
        return one === undefined || ten === undefined ? undefined : ten / one;
      },
    },
  ];
}

function agentBudgets(calls: "one" | "eight", how: string, max: number): readonly Budget[] {
  const costs = ({ agent }: Suites): AgentCosts | undefined => find(agent, "windlass")?.[calls];
  return [
    {
      id: `agent-${calls}`,
      suite: "agent",
      what: `a turn of an agent with ${how}: × loop by hand`,
      max,
      figure: (suites) => costs(suites)?.few.ratio.median,
    },
    {
      id: `agent-growth-${calls}`,
      suite: "agent",
      what: `the same in a conversation of 50 turns instead of 10: growth × that of the baseline`,
      max: 1.1,
      figure: (suites) => {
        const both = costs(suites);
        return both && growthOf(both);
      },
    },
  ];
}

function costRatio(cost: Cost | undefined): number | undefined {
  return cost !== undefined && "ratio" in cost ? cost.ratio.median : undefined;
}

/**
 * Compares the figures of the suites that ran with their budgets. A figure that could not be measured breaks its
 * budget.
 */
export function verdicts(suites: Suites): Verdict[] {
  const ran = budgets.filter(({ suite }) => suites[suite] !== undefined);
  return ran.map(({ id, what, max, min, figure }) => {
    const value = figure(suites);
    return {
      id,
      what,
      budget: max === undefined ? `≥ ${show(min)}` : `≤ ${show(max)}`,
      ...(value !== undefined && { value }),
      holds: value !== undefined && value <= (max ?? Infinity) && value >= (min ?? -Infinity),
    };
  });
}

function show(limit: number | undefined): string {
  return limit?.toLocaleString("en") ?? "";
}

function find<R extends { readonly id: string }>(rows: readonly R[] | undefined, id: string): R | undefined {
  return rows?.find((row) => row.id === id);
}

/** Uses CPU time if it is known, because elapsed time also depends on other processes. */
function startRatio(rows: Suites["start"], id: string): number | undefined {
  const row = find(rows, id);
  return (row?.cpuRatio ?? row?.wallRatio)?.median;
}
