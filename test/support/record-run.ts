import type { Clock } from "../../src/base/index.ts";
import type { CallRunner } from "../../src/run/call-runner.ts";
import { engineRunner } from "../../src/run/host/engine-runner.ts";
import { ChainCalls } from "../../src/chain/chain-calls.ts";
import { type MockAnswer, type MockTools, mockTools } from "../../src/testing/chain/mock-tools.ts";
import { planChain } from "../../src/chain/plan/plan-chain.ts";
import type { Plan } from "../../src/chain/plan/plan.ts";
import type { ChainSpec } from "../../src/chain/plan/chain-spec.ts";
import { executeRun } from "../../src/chain/interpreter/execute-run.ts";
import type { RunFacts } from "../../src/chain/interpreter/run-facts.ts";
import { type RequestApproval, type Engine, type PermissionRules, createEngine } from "../../src/engine/index.ts";
import { type JournalEvent, type StoredRun, createInMemoryApprovals } from "../../src/store/index.ts";
import { FakeClock } from "./fake-clock.ts";

/** Options of a run in a test. */
export interface RecordOptions {
  readonly tools?: Readonly<Record<string, MockAnswer>>;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly secrets?: Readonly<Record<string, string>>;
  /** Other chains that the chain calls. */
  readonly chains?: readonly ChainSpec[];
  readonly requestApproval?: RequestApproval;
  readonly clock?: FakeClock;
  readonly permissions?: PermissionRules;
  readonly runner?: (real: CallRunner, engine: Engine) => CallRunner;
  /** Returns another plan to run in place of the chain's own, once the runner exists. */
  readonly prepare?: (plan: Plan) => Plan;
}

/** A run in memory, and everything that a journal would hold for it. */
export interface RecordedRun {
  readonly facts: RunFacts;
  readonly plan: Plan;
  readonly run: StoredRun;
  readonly events: readonly JournalEvent[];
  readonly tools: MockTools;
}

/** The plan of a chain with mock tools; throws if it has any problem. */
export function planWith(spec: ChainSpec, engine: Engine, chains: readonly ChainSpec[] = []): Plan {
  const plans = new Map<string, Plan>();
  const planned = (expected: ChainSpec): Plan => {
    const known = plans.get(expected.name);
    if (known !== undefined) return known;
    const context = {
      tools: engine.tools,
      chains: (name: string) => {
        const found = chains.find((chain) => chain.name === name);
        return found && (() => planned(found));
      },
    };
    const { plan, problems } = planChain({ spec: expected }, context);
    if (plan === undefined) throw new Error(problems.map(({ message }) => message).join("\n"));
    plans.set(expected.name, plan);
    return plan;
  };
  return planned(spec);
}

/** Runs a chain of mock tools and records the events. */
export async function recordRun(spec: ChainSpec, options: RecordOptions = {}): Promise<RecordedRun> {
  const { chains = [], input = {}, context = {}, secrets = {} } = options;
  const clock: Clock = options.clock ?? new FakeClock();
  const subChains = new Set(chains.map(({ name }) => name));
  const names = [spec, ...chains].flatMap((chain) => [...mockTools(chain)].map(({ name }) => name));
  const tools = mockTools(
    names.filter((name) => !subChains.has(name)),
    options.tools,
  );
  const engine = createEngine({ tools, clock, secrets, permissions: options.permissions ?? { allow: ["*"] } });
  const plan = planWith(spec, engine, chains);
  const events: JournalEvent[] = [];
  const runId = "run-1";
  const startedAt = clock.now();
  const real = engineRunner({
    begin: (...call) => engine.begin(...call),
    secrets: { get: (name) => secrets[name] },
  });
  const checked = await plan.input.validate(input);
  if (checked.issues !== undefined) throw new Error(checked.issues.map(({ message }) => message).join("\n"));
  const runner = options.runner === undefined ? real : options.runner(real, engine);
  const prepared = options.prepare?.(plan) ?? plan;
  const { facts } = await executeRun({
    plan: prepared,
    input: checked.value,
    context,
    env: {},
    lease: { runId, epoch: 1 },
    startedAt,
    journal: {
      append: (_lease, event) => {
        events.push(event);
        return undefined;
      },
    },
    events: [],
    calls: new ChainCalls({ plan: prepared, runId, runner }),
    clock,
    approvals: createInMemoryApprovals({ clock }),
    requestApproval: options.requestApproval,
  });
  const run: StoredRun = {
    id: runId,
    kind: "chain",
    name: plan.name,
    definition: "",
    input: JSON.stringify(facts.input),
    context: JSON.stringify({ context }),
    format: 1,
    fingerprints: "{}",
    startedAt,
    status: facts.status,
    finishedAt: facts.endedAt,
    cancelRequested: false,
    epoch: 1,
    deaths: 0,
  };
  return { facts, plan, run, events, tools };
}

/** Lets a mock take a time on a fake clock. */
export function taking(clock: FakeClock, ms: number, answer: unknown): () => Promise<unknown> {
  return () => new Promise((resolve) => clock.after(ms, () => resolve(answer)));
}
