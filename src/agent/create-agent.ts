import { type Clock, systemClock } from "../base/index.ts";
import type { Engine } from "../engine/index.ts";
import type { ResultStore } from "../hub/index.ts";
import { type Model, wrongInterface } from "../model/index.ts";
import {
  type ApprovalStore,
  UnfinishedRuns,
  createInMemoryApprovals,
  createInMemoryRunJournal,
} from "../store/index.ts";
import { Agent } from "./agent.ts";
import type { AgentObserver } from "./run/agent-observer.ts";
import { AgentRuns } from "./run/agent-runs.ts";
import type { AgentSpec } from "./run/agent-spec.ts";
import { resolveAgentSpec } from "./run/resolve-agent-spec.ts";
import { type CustomRunner, fromCustomRunner } from "./custom-runner.ts";
import type { Runner } from "./run/runner.ts";
import { findRunner } from "./runners/find-runner.ts";

/** Options of {@link createAgent}. */
export interface AgentOptions extends Partial<Omit<AgentSpec, "runner" | "model">> {
  readonly engine: Engine;
  /** Any model with the AI SDK's interface. Some runners work without one. */
  readonly model?: Model;
  /** Name of a runner, or a custom runner. Default: `autonomous`. */
  readonly runner?: string | CustomRunner;
  /** Stores large results for `read_result`; without it the model sees only their beginning. */
  readonly resultStore?: ResultStore;
  /** Observes all its runs. */
  readonly observer?: AgentObserver | undefined;
  readonly clock?: Clock;
}

/**
 * An agent in this process: a model that uses the tools of an engine. Its runs are stored in memory, so that a run that
 * waits for a person can be resumed; runs of a workspace are persisted in its database.
 *
 * @example
 * ```ts
 * const agent = createAgent({ engine, model, maxRounds: 6 });
 * const { answer, toolUsageSummary } = await agent.run("What did I write about tide mills last week?");
 * ```
 *
 * @see docs/guide/agents.md
 */
export function createAgent(options: AgentOptions): Agent {
  const { engine, model, runner = "autonomous", resultStore, observer, clock = systemClock, ...spec } = options;
  // Checked before the first prompt: an unknown runner name is a mistake of the code that creates the agent.
  const its = typeof runner === "string" ? findRunner(runner) : fromCustomRunner(runner);
  const complete = resolveAgentSpec(its.name, spec);
  const wrong = model && wrongInterface(model);
  if (wrong !== undefined) throw wrong;
  const find = (requested: string): Runner => (its.name === requested ? its : findRunner(requested));
  return new Agent(memoryRuns({ engine, model, resultStore, observer, clock, find }), complete, {
    ownsRuns: true,
  });
}

interface InMemory {
  readonly engine: Engine;
  readonly model: Model | undefined;
  readonly resultStore: ResultStore | undefined;
  readonly observer: AgentObserver | undefined;
  readonly clock: Clock;
  readonly find: (name: string) => Runner;
}

/** Number of finished runs to retain. All runs that wait for a person are retained, and so are the runs they called. */
const finishedRuns = 10;

/**
 * Number of finished runs to retain that were called as tools by a caller without stored runs, such as a chain: a retry
 * of the caller finds their results if it made no more calls than this.
 */
const finishedCalls = 1000;

function memoryRuns({ engine, model, resultStore, observer, clock, find }: InMemory): AgentRuns {
  const { approvals, unfinished } = sharedBy(engine, clock);
  return new AgentRuns({
    engine,
    resultStore,
    observer,
    clock,
    journal: createInMemoryRunJournal({
      clock,
      records: engine.records,
      approvals,
      finished: finishedRuns,
      detached: finishedCalls,
      unfinished,
    }),
    approvals,
    runner: find,
    model: () => model,
  });
}

/** State shared by the agents of one engine, because one may be a tool of another. */
interface Shared {
  /** Shared, so that the calling agent can wait for the same approval. */
  readonly approvals: ApprovalStore;
  /** Called runs are retained until the run that called them has ended. */
  readonly unfinished: UnfinishedRuns;
}

const shared = new WeakMap<Engine, Shared>();

function sharedBy(engine: Engine, clock: Clock): Shared {
  const known = shared.get(engine) ?? {
    approvals: createInMemoryApprovals({ clock }),
    unfinished: new UnfinishedRuns(),
  };
  shared.set(engine, known);
  return known;
}
