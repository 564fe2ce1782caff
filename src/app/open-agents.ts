import { currentOwner } from "../adapters/index.ts";
import {
  Agent,
  type AgentObserver,
  AgentRuns,
  type AgentSpec,
  type OwnRunner,
  type Runner,
  completeSpec,
  findRunner,
  toRunner,
} from "../agent/index.ts";
import { fail } from "../base/index.ts";
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
  readonly runner?: string | OwnRunner;
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
  const own = new OwnRunners();
  const runs = new AgentRuns({
    engine,
    shelf,
    observer,
    journal: journal.runs,
    approvals: journal.approvals,
    owner: currentOwner(),
    runner: (name) => own.find(name),
    model: (name) => models.get(name),
    noModel: (who) => models.none(who),
    timezone,
  });
  return {
    runs,
    agent: ({ runner = config.runner, ...options } = {}) => {
      const { name } = typeof runner === "string" ? own.find(runner) : own.add(runner);
      return new Agent(runs, completeSpec(name, config, options));
    },
  };
}

/** The runners of one's own that were given to a workspace, beside those that there are. */
class OwnRunners {
  readonly #given = new Map<string, { readonly own: OwnRunner; readonly runner: Runner }>();

  find(name: string): Runner {
    return this.#given.get(name)?.runner ?? findRunner(name);
  }

  /** Known by its name from now on, so that a run of it that waited can go on. */
  add(own: OwnRunner): Runner {
    const { name } = own;
    const known = this.#given.get(name);
    if (known?.own === own) return known.runner;
    if (known !== undefined) {
      const message = `this workspace has another runner ${JSON.stringify(name)} already, with which its runs go on`;
      throw fail(`${message}: give the same one again, or another name`, { code: "validation_error" });
    }
    const runner = toRunner(own);
    this.#given.set(name, { own, runner });
    return runner;
  }
}
