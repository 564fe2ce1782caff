import { currentOwner } from "../adapters/index.ts";
import {
  Agent,
  type AgentObserver,
  AgentRuns,
  type AgentSpec,
  type Runner,
  completeSpec,
  findRunner,
} from "../agent/index.ts";
import type { Engine } from "../engine/index.ts";
import type { ResultShelf } from "../hub/index.ts";
import type { Models } from "../model/index.ts";
import type { AgentConfig } from "./agent-settings.ts";
import type { Journal } from "./open-journal.ts";

/** What {@link openAgents} takes. */
export interface AgentsSetting {
  readonly config: AgentConfig;
  readonly engine: Engine;
  readonly journal: Journal;
  readonly models: Models;
  readonly shelf: ResultShelf;
  readonly observer: AgentObserver | undefined;
  /** The machine's where absent. */
  readonly timezone: string | undefined;
}

/** What an agent of a workspace is to be, where that is not what `agent:` in `windlass.yaml` says. */
export interface WorkspaceAgentOptions extends Partial<Omit<AgentSpec, "runner">> {
  /** By its name, or one of your own. */
  readonly runner?: string | Runner;
}

/** The agents of a workspace. */
export interface OpenedAgents {
  /** Their runs, kept where the workspace keeps its runs. */
  readonly runs: AgentRuns;
  agent(options?: WorkspaceAgentOptions): Agent;
}

/** Opens the agents of a workspace: with its tools, its models and its journal. */
export function openAgents({ config, engine, journal, models, shelf, observer, ...more }: AgentsSetting): OpenedAgents {
  const { timezone = new Intl.DateTimeFormat().resolvedOptions().timeZone } = more;
  const own = new Map<string, Runner>();
  const find = (name: string): Runner => own.get(name) ?? findRunner(name);
  const runs = new AgentRuns({
    engine,
    shelf,
    observer,
    journal: journal.runs,
    approvals: journal.approvals,
    owner: currentOwner(),
    runner: find,
    model: (name) => models.get(name),
    noModel: (who) => models.none(who),
    timezone,
  });
  return {
    runs,
    agent: ({ runner = config.runner, ...options } = {}) => {
      // Known by its name from now on, so that a run of it that waited can go on.
      if (typeof runner === "object") own.set(runner.name, runner);
      const { name } = typeof runner === "object" ? runner : find(runner);
      return new Agent(runs, completeSpec(name, config, options));
    },
  };
}
