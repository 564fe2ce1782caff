import { growthOf } from "./agent-table.ts";
import type { AgentCosts, Cost, Row, Suites, Verdict } from "./results.ts";

interface Budget {
  readonly id: string;
  readonly suite: keyof Suites;
  readonly what: string;
  /** The figure may be at most this, … */
  readonly most?: number;
  /** … or must be at least this. */
  readonly least?: number;
  readonly figure: (suites: Suites) => number | undefined;
}

const ratio = (rows: readonly Row[] | undefined, id: string): number | undefined => find(rows, id)?.ratio.median;
const bytes = (rows: readonly Row[] | undefined, id: string): number | undefined => find(rows, id)?.bytes;

/** What must hold; `npm run bench -- --check` fails when it does not. */
const budgets: readonly Budget[] = [
  {
    id: "sync",
    suite: "sync",
    what: "a call, sync handler: × zod + handler, awaited",
    most: 4,
    figure: ({ sync }) => ratio(sync, "windlass"),
  },
  {
    id: "sync-name",
    suite: "sync",
    what: "the same, called by name: × zod + handler",
    most: 4,
    figure: ({ sync }) => ratio(sync, "windlass-name"),
  },
  {
    id: "async",
    suite: "async",
    what: "a call, async handler: × zod + handler",
    most: 4,
    figure: ({ async }) => ratio(async, "windlass"),
  },
  {
    id: "async-name",
    suite: "async",
    what: "the same, called by name: × zod + handler",
    most: 4,
    figure: ({ async }) => ratio(async, "windlass-name"),
  },
  {
    id: "sync-bytes",
    suite: "sync",
    what: "a call, sync handler: bytes",
    most: 4096,
    figure: ({ sync }) => bytes(sync, "windlass"),
  },
  {
    id: "async-bytes",
    suite: "async",
    what: "a call, async handler: bytes",
    most: 4096,
    figure: ({ async }) => bytes(async, "windlass"),
  },
  {
    id: "limit",
    suite: "limit",
    what: "10,000 tasks under a limit of 10: × semaphore",
    most: 4,
    figure: ({ limit }) => ratio(limit, "windlass-scheduler"),
  },
  {
    id: "limit-bytes",
    suite: "limit",
    what: "a queued task: bytes",
    most: 800,
    figure: ({ limit }) => bytes(limit, "windlass-scheduler"),
  },
  {
    id: "records",
    suite: "records",
    what: "records into SQLite, flushed: per second",
    least: 20_000,
    figure: ({ records }) => find(records, "windlass-records")?.perSecond.median,
  },
  {
    id: "sequence",
    suite: "sequence",
    what: "100 steps in a row, per step: × guarded by hand",
    most: 2,
    figure: ({ sequence }) => ratio(sequence, "windlass"),
  },
  ...fanoutBudgets("windlass", "a step for each"),
  ...fanoutBudgets("windlass-for-each", "`for_each`"),
  {
    id: "dag",
    suite: "dag",
    what: "graphs of steps that wait: × critical path",
    most: 1.03,
    figure: ({ dag }) => costRatio(find(dag, "windlass")?.wall),
  },
  {
    id: "concurrent",
    suite: "concurrent",
    what: "1,000 chains of ten steps of 10 ms at once: × 100 ms",
    most: 1.3,
    figure: ({ concurrent }) => costRatio(find(concurrent, "windlass")?.wall),
  },
  {
    id: "durable",
    suite: "durable",
    what: "steps that write, in SQLite: per second",
    least: 20_000,
    figure: ({ durable }) => find(durable, "windlass")?.perSecond.median,
  },
  ...agentBudgets("one", "one call", 12.5),
  ...agentBudgets("eight", "eight calls", 6.35),
  {
    id: "import",
    suite: "start",
    what: '`import "windlass"`: × bare node',
    most: 1.5,
    figure: ({ start }) => startRatio(start, "windlass"),
  },
  {
    id: "help",
    suite: "start",
    what: "`windlass --help`: × bare node",
    most: 1.8,
    figure: ({ start }) => startRatio(start, "help"),
  },
  {
    id: "ask-help",
    suite: "start",
    what: "`windlass ask --help`: × bare node",
    most: 2,
    figure: ({ start }) => startRatio(start, "ask-help"),
  },
  {
    id: "validate",
    suite: "start",
    what: "`windlass validate` of a tool file: × bare node",
    most: 3,
    figure: ({ start }) => startRatio(start, "validate"),
  },
  {
    id: "validate-chain",
    suite: "start",
    what: "`windlass validate` of a chain: × bare node",
    most: 3,
    figure: ({ start }) => startRatio(start, "validate-chain"),
  },
  {
    id: "run-first",
    suite: "start",
    what: "`windlass run` until its first step begins: × bare node",
    most: 4,
    figure: ({ start }) => startRatio(start, "run-first"),
  },
];

function fanoutBudgets(id: string, how: string): readonly Budget[] {
  const small = ({ fanout }: Suites): number | undefined => costRatio(find(fanout, id)?.small);
  const large = ({ fanout }: Suites): number | undefined => costRatio(find(fanout, id)?.large);
  return [
    { id: `fanout-1k-${id}`, suite: "fanout", what: `1,000 steps, ${how}: × guarded by hand`, most: 2, figure: small },
    {
      id: `fanout-10k-${id}`,
      suite: "fanout",
      what: `10,000 steps, ${how}: × guarded by hand`,
      most: 2,
      figure: large,
    },
    {
      id: `fanout-growth-${id}`,
      suite: "fanout",
      what: `from 1,000 to 10,000 steps, ${how}: growth × that of the floor`,
      most: 1.1,
      // Each is a ratio to the floor, so the floor's own growth is in it.
      figure: (suites) => {
        const [one, ten] = [small(suites), large(suites)];
        return one === undefined || ten === undefined ? undefined : ten / one;
      },
    },
  ];
}

function agentBudgets(calls: "one" | "eight", how: string, most: number): readonly Budget[] {
  const costs = ({ agent }: Suites): AgentCosts | undefined => find(agent, "windlass")?.[calls];
  return [
    {
      id: `agent-${calls}`,
      suite: "agent",
      what: `a turn of an agent with ${how}: × loop by hand`,
      most,
      figure: (suites) => costs(suites)?.few.ratio.median,
    },
    {
      id: `agent-growth-${calls}`,
      suite: "agent",
      what: `the same in a conversation of 50 turns instead of 10: growth × that of the floor`,
      most: 1.1,
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

/** The budgets of the suites that ran, beside their figures. What could not be measured does not hold. */
export function verdicts(suites: Suites): Verdict[] {
  const ran = budgets.filter(({ suite }) => suites[suite] !== undefined);
  return ran.map(({ id, what, most, least, figure }) => {
    const value = figure(suites);
    return {
      id,
      what,
      budget: most === undefined ? `≥ ${show(least)}` : `≤ ${show(most)}`,
      ...(value !== undefined && { value }),
      holds: value !== undefined && value <= (most ?? Infinity) && value >= (least ?? -Infinity),
    };
  });
}

function show(limit: number | undefined): string {
  return limit?.toLocaleString("en") ?? "";
}

function find<R extends { readonly id: string }>(rows: readonly R[] | undefined, id: string): R | undefined {
  return rows?.find((row) => row.id === id);
}

/** By CPU time where it is known: the time that passes measures the neighbours as well. */
function startRatio(rows: Suites["start"], id: string): number | undefined {
  const row = find(rows, id);
  return (row?.cpuRatio ?? row?.wallRatio)?.median;
}
