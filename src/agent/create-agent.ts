import { type Clock, createIds, systemClock } from "../base/index.ts";
import type { Engine } from "../engine/index.ts";
import type { ResultShelf } from "../hub/index.ts";
import { type Model, wrongInterface } from "../model/index.ts";
import { type ApprovalStore, UnfinishedRuns, createMemoryApprovals, createMemoryRuns } from "../store/index.ts";
import { Agent } from "./agent.ts";
import type { AgentObserver } from "./run/agent-observer.ts";
import { AgentRuns } from "./run/agent-runs.ts";
import type { AgentSpec } from "./run/agent-spec.ts";
import { completeSpec } from "./run/complete-spec.ts";
import { type OwnRunner, toRunner } from "./own-runner.ts";
import type { Runner } from "./runner.ts";
import { findRunner } from "./runners/find-runner.ts";

/** What {@link createAgent} takes. */
export interface AgentOptions extends Partial<Omit<AgentSpec, "runner" | "model">> {
  readonly engine: Engine;
  /** Any model of the AI SDK's interface. Some runners can do without. */
  readonly model?: Model;
  /** `autonomous` where absent; or one of your own. */
  readonly runner?: string | OwnRunner;
  /** Where large results are kept for `read_result`; without it the model sees their beginning only. */
  readonly shelf?: ResultShelf;
  /** Sees all its runs. */
  readonly observer?: AgentObserver | undefined;
  readonly clock?: Clock;
}

/**
 * An agent in this process: a model that uses the tools of an engine. Its runs are kept in memory, so that one which
 * waits for a person can go on; those of a workspace are kept in its database.
 *
 * @example
 * ```ts
 * const agent = createAgent({ engine, model, maxRounds: 6 });
 * const { answer, toolUsageSummary } = await agent.run("What did I write about tide mills last week?");
 * ```
 */
export function createAgent(options: AgentOptions): Agent {
  const { engine, model, runner = "autonomous", shelf, observer, clock = systemClock, ...spec } = options;
  // Before the first question: a name that is none is a mistake of whoever makes the agent.
  const its = typeof runner === "string" ? findRunner(runner) : toRunner(runner);
  const complete = completeSpec(its.name, spec);
  const wrong = model && wrongInterface(model);
  if (wrong !== undefined) throw wrong;
  const find = (wanted: string): Runner => (its.name === wanted ? its : findRunner(wanted));
  return new Agent(memoryRuns({ engine, model, shelf, observer, clock, find }), complete, { ownsRuns: true });
}

interface InMemory {
  readonly engine: Engine;
  readonly model: Model | undefined;
  readonly shelf: ResultShelf | undefined;
  readonly observer: AgentObserver | undefined;
  readonly clock: Clock;
  readonly find: (name: string) => Runner;
}

/** Of runs that are over nobody needs more; those that wait for people are all kept, and so is what they have called. */
const finishedRuns = 10;

/**
 * Of runs that are over and were called as tools by something that keeps no runs here, such as a chain: a further attempt
 * of that finds what was done in the one before, as far as it made no more calls than this.
 */
const finishedCalls = 1000;

function memoryRuns({ engine, model, shelf, observer, clock, find }: InMemory): AgentRuns {
  const id = createIds().next();
  const { approvals, unfinished } = sharedBy(engine, clock);
  return new AgentRuns({
    engine,
    shelf,
    observer,
    clock,
    journal: createMemoryRuns({
      clock,
      records: engine.records,
      finished: finishedRuns,
      asides: finishedCalls,
      unfinished,
    }),
    approvals,
    owner: { id, pid: process.pid, processStart: id, bootId: "" },
    runner: find,
    model: () => model,
  });
}

/** What agents of one engine share, since one may be a tool of another. */
interface Shared {
  /** The other one can then wait for the same answer. */
  readonly approvals: ApprovalStore;
  /** What is called is remembered until the run is over that called it. */
  readonly unfinished: UnfinishedRuns;
}

const shared = new WeakMap<Engine, Shared>();

function sharedBy(engine: Engine, clock: Clock): Shared {
  const known = shared.get(engine) ?? { approvals: createMemoryApprovals({ clock }), unfinished: new UnfinishedRuns() };
  shared.set(engine, known);
  return known;
}
