/**
 * Measures Windlass against baselines and peers. A full run with all contenders writes `bench/results.json` and the
 * tables of `docs/benchmarks.md`.
 *
 * - `--quick`: fewer rounds; prints the tables and writes nothing.
 * - `--only sync,async,limit,records,sequence,fanout,dag,concurrent,durable,agent,conversation,http,start`: some of the
 *   suites; prints the tables and writes nothing.
 * - `--check`: exits with code 1 if a budget is broken.
 * - `--render`: measures nothing; writes the tables from the existing results.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs, styleText } from "node:util";
import { agentEntries, agentSizes } from "./agent-catalog.ts";
import { agentRowsOf } from "./agent-rows.ts";
import { verdicts } from "./budgets.ts";
import { type Listed, callEntries, limitEntries, recordEntries, syncEntries } from "./catalog.ts";
import {
  concurrentEntries,
  dagEntries,
  durableEntries,
  fanoutEntries,
  fanoutSizes,
  sequenceEntries,
} from "./chain-catalog.ts";
import { durableRowsOf, fanoutRowsOf, waitRowsOf } from "./chain-rows.ts";
import { conversationSuite } from "./conversation-suite.ts";
import { pauseMs, pauses } from "./contenders/chain-workload.ts";
import { criticalPathMs, dags } from "./contenders/dag-workload.ts";
import { httpEntries } from "./http-catalog.ts";
import { type Measured, type Measurement, measure, rowsOf } from "./measure.ts";
import { pageWith } from "./page.ts";
import { type Plan, full, quick } from "./plan.ts";
import { recordRowsOf } from "./record-rows.ts";
import { render } from "./render.ts";
import type { Results, Suites } from "./results.ts";
import { startSuite } from "./start-suite.ts";
import { isStale, subjectKind } from "./subject.ts";

const resultsFile = new URL("results.json", import.meta.url);
const pageFile = new URL("../docs/benchmarks.md", import.meta.url);

/** Critical path of all graphs, one after the other. */
const criticalMs = dags.reduce((sum, { steps }) => sum + criticalPathMs(steps), 0);

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    render: { type: "boolean", default: false },
    only: { type: "string" },
  },
});

if (options.render) writePage(JSON.parse(readFileSync(resultsFile, "utf8")) as Results);
else await main();

async function main(): Promise<void> {
  if (isStale()) console.error(styleText("yellow", "dist/ is older than src/; build first: npm run build"));
  const plan = options.quick ? quick : full;
  const skipped = new Map<string, string>();
  const suites = await measureSuites(plan, skipped);
  const results: Results = {
    format: 1,
    measuredAt: new Date().toISOString(),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    subject: subjectKind,
    rounds: plan.processes * plan.rounds,
    skipped: [...skipped].map(([id, why]) => ({ id, why })),
    budgets: verdicts(suites),
    suites,
  };
  console.log(`\n${render(results)}\n`);
  if (!options.quick && options.only === undefined) write(results);
  if (options.check) check(results);
}

async function measureSuites(plan: Plan, skipped: Map<string, string>): Promise<Suites> {
  const skip = (id: string, why: string): void => {
    skipped.set(id, why);
    console.error(styleText("yellow", `not measured: ${id}: ${why}`));
  };
  const requested = options.only?.split(",");
  // A quick run is about Windlass; the allocations of peers rarely change.
  const bytes = ({ kind }: Listed): boolean => !options.quick || kind !== "peer";
  const of = (what: Omit<Measurement, "plan" | "skip"> & { readonly plan?: Plan }): Promise<Measured[]> =>
    measure({ plan, skip, ...what });
  const calls = { work: "call", bytes } as const;
  const runs: { readonly [Name in keyof Suites]-?: () => Promise<Suites[Name]> } = {
    async: async () => rowsOf(await of({ ...calls, entries: callEntries, setting: "async" })),
    sync: async () => rowsOf(await of({ ...calls, entries: syncEntries, setting: "sync" })),
    limit: async () => rowsOf(await of({ work: "limit", bytes, entries: limitEntries })),
    records: async () => recordRowsOf(await of({ work: "records", entries: recordEntries })),
    sequence: async () => rowsOf(await of({ work: "sequence", entries: sequenceEntries })),
    fanout: async () => {
      const fanout = { work: "fanout", entries: fanoutEntries } as const;
      const small = await of({ ...fanout, setting: String(fanoutSizes.small) });
      // Long enough that garbage is collected in every sample, not only in some.
      const longer = { ...plan, sampleMs: plan.sampleMs * 5 };
      return fanoutRowsOf(small, await of({ ...fanout, setting: String(fanoutSizes.large), plan: longer }));
    },
    dag: async () => waitRowsOf(await of({ work: "dag", entries: dagEntries }), criticalMs),
    concurrent: async () => waitRowsOf(await of({ work: "concurrent", entries: concurrentEntries }), pauses * pauseMs),
    durable: async () => {
      const durable = { work: "durable", entries: durableEntries } as const;
      const many = await of({ ...durable, setting: "many" });
      return durableRowsOf(many, await of({ ...durable, setting: "alone" }));
    },
    agent: async () => {
      const { turns, calls } = agentSizes;
      // An agent loop executes much code, so the optimizer needs a longer warm-up.
      const longer = { ...plan, warmMs: plan.warmMs * 5, sampleMs: plan.sampleMs * 2 };
      const talk = (length: number, each: number): Promise<Measured[]> =>
        of({ work: "agent", entries: agentEntries, setting: `${length}x${each}`, plan: longer });
      const lengths = async (each: number) => ({
        few: await talk(turns.few, each),
        many: await talk(turns.many, each),
      });
      return agentRowsOf(await lengths(calls.one), await lengths(calls.eight));
    },
    conversation: async () => conversationSuite(plan),
    http: async () => {
      // A request executes much code, too, and the records of a sample are written during the next one.
      const longer = { ...plan, warmMs: plan.warmMs * 10, sampleMs: plan.sampleMs * 5 };
      return rowsOf(await of({ work: "http", entries: httpEntries, plan: longer }));
    },
    start: async () => startSuite(plan, skip),
  };
  const unknown = requested?.find((name) => !Object.hasOwn(runs, name));
  if (unknown !== undefined)
    throw new Error(`unknown suite "${unknown}"; the suites are: ${Object.keys(runs).join(", ")}`);
  const measured: [string, unknown][] = [];
  for (const [name, run] of Object.entries<() => Promise<unknown>>(runs)) {
    if (requested?.includes(name) ?? true) measured.push([name, await timed(name, run)]);
  }
  return Object.fromEntries(measured);
}

async function timed<T>(name: string, run: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  const result = await run();
  console.error(`${name.padEnd(11)}${((performance.now() - begin) / 1000).toFixed(1)} s`);
  return result;
}

function check({ budgets }: Results): void {
  const broken = budgets.filter(({ holds }) => !holds);
  for (const { what, budget, value } of broken) {
    console.error(styleText("red", `broken: ${what} ${budget}, measured ${value?.toFixed(2) ?? "nothing"}`));
  }
  if (broken.length > 0) process.exitCode = 1;
  else console.error(styleText("green", "all budgets hold"));
}

function write(results: Results): void {
  if (results.skipped.length > 0) {
    console.error(styleText("yellow", "nothing written: some contenders could not be measured"));
    return;
  }
  const text = `${JSON.stringify(results, roundFigures, 2)}\n`;
  writeFileSync(resultsFile, text);
  // Parsed from the text, so that a later `--render` writes the same page.
  writePage(JSON.parse(text) as Results);
}

function writePage(results: Results): void {
  writeFileSync(pageFile, pageWith(render(results), pageFile));
}

/** Keeps four digits: the rest is noise that would make every run a large diff. */
function roundFigures(_key: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(4)) : value;
}
