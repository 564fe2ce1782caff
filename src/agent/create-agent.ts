import { type Clock, createIds, systemClock } from "../base/index.ts";
import type { Engine } from "../engine/index.ts";
import type { ResultShelf } from "../hub/index.ts";
import { type Model, wrongInterface } from "../model/index.ts";
import { type ApprovalStore, createMemoryApprovals, createMemoryRuns } from "../store/index.ts";
import { Agent } from "./agent.ts";
import type { AgentObserver } from "./run/agent-observer.ts";
import { AgentRuns } from "./run/agent-runs.ts";
import type { AgentSpec } from "./run/agent-spec.ts";
import { completeSpec } from "./run/complete-spec.ts";
import type { Runner } from "./runner.ts";
import { findRunner } from "./runners/find-runner.ts";

/** What {@link createAgent} takes. */
export interface AgentOptions extends Partial<Omit<AgentSpec, "runner" | "model">> {
  readonly engine: Engine;
  /** Any model of the AI SDK's interface. Some runners can do without. */
  readonly model?: Model;
  /** `autonomous` where absent; or one of your own. */
  readonly runner?: string | Runner;
  /** Where large results are kept for `read_result`; without it the model sees their beginning only. */
  readonly shelf?: ResultShelf;
  /** Where its runs are kept; in memory where absent. */
  readonly runs?: AgentRuns;
  /** Sees all its runs; those of `runs` have their own. */
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
  const { engine, model, runner = "autonomous", shelf, runs, observer, clock = systemClock, ...spec } = options;
  const [name, own] = typeof runner === "string" ? [runner, undefined] : [runner.name, runner];
  const complete = completeSpec(name, spec);
  const wrong = model && wrongInterface(model);
  if (wrong !== undefined) throw wrong;
  const find = (wanted: string): Runner => (own !== undefined && own.name === wanted ? own : findRunner(wanted));
  // Before the first question: a name that is none is a mistake of whoever makes the agent.
  find(name);
  return new Agent(runs ?? memoryRuns({ engine, model, shelf, observer, clock, find }), complete);
}

interface InMemory {
  readonly engine: Engine;
  readonly model: Model | undefined;
  readonly shelf: ResultShelf | undefined;
  readonly observer: AgentObserver | undefined;
  readonly clock: Clock;
  readonly find: (name: string) => Runner;
}

/** Of runs that are over nobody needs more; those that wait for people are all kept. */
const finishedRuns = 10;

function memoryRuns({ engine, model, shelf, observer, clock, find }: InMemory): AgentRuns {
  const id = createIds().next();
  return new AgentRuns({
    engine,
    shelf,
    observer,
    clock,
    journal: createMemoryRuns({ clock, records: engine.records, finished: finishedRuns }),
    approvals: approvalsOf(engine, clock),
    owner: { id, pid: process.pid, processStart: id, bootId: "" },
    runner: find,
    model: () => model,
  });
}

const approvals = new WeakMap<Engine, ApprovalStore>();

/** Agents of one engine share their questions: one that is a tool of another can then wait for the same answer. */
function approvalsOf(engine: Engine, clock: Clock): ApprovalStore {
  let store = approvals.get(engine);
  if (store === undefined) approvals.set(engine, (store = createMemoryApprovals({ clock })));
  return store;
}
