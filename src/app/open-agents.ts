import {
  Agent,
  type AgentObserver,
  AgentRuns,
  type AgentSpec,
  type CustomRunner,
  type Runner,
  resolveAgentSpec,
  findRunner,
  fromCustomRunner,
} from "../agent/index.ts";
import { fail } from "../base/index.ts";
import type { Engine } from "../engine/index.ts";
import type { ResultStore } from "../hub/index.ts";
import type { WorkspaceModels } from "../model/index.ts";
import type { RunService } from "../run/index.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** Options of {@link openAgents}. */
export interface OpenAgentsOptions {
  readonly config: Pick<WorkspaceConfig, "agent" | "timezone">;
  readonly engine: Engine;
  /** Stores and executes the runs. */
  readonly service: RunService;
  readonly models: WorkspaceModels;
  readonly resultStore: ResultStore;
  readonly observer: AgentObserver | undefined;
}

/** Options of a workspace agent that override `agent:` in `windlass.yaml`. */
export interface WorkspaceAgentOptions extends Partial<Omit<AgentSpec, "runner">> {
  /** A runner by name, or a custom one. */
  readonly runner?: string | CustomRunner;
}

/** The agents of a workspace. */
export interface OpenedAgents {
  /** Their runs, stored with the other runs of the workspace. */
  readonly runs: AgentRuns;
  agent(options?: WorkspaceAgentOptions): Agent;
}

/** Opens the agents of a workspace: with its tools, its models and its journal. */
export function openAgents({
  config,
  engine,
  service,
  models,
  resultStore,
  observer,
}: OpenAgentsOptions): OpenedAgents {
  const { timezone = new Intl.DateTimeFormat().resolvedOptions().timeZone } = config;
  const own = new CustomRunners();
  const runs = new AgentRuns({
    engine,
    resultStore,
    observer,
    service,
    runner: (name) => own.find(name),
    model: (name) => models.get(name),
    noModel: (feature) => models.none(feature),
    timezone,
  });
  return {
    runs,
    agent: ({ runner = config.agent.runner, ...options } = {}) => {
      const { name } = typeof runner === "string" ? own.find(runner) : own.add(runner);
      return new Agent(runs, resolveAgentSpec(name, config.agent, options));
    },
  };
}

/** The custom runners that were passed to a workspace, beside the built-in ones. */
class CustomRunners {
  readonly #input = new Map<string, { readonly own: CustomRunner; readonly runner: Runner }>();

  find(name: string): Runner {
    return this.#input.get(name)?.runner ?? findRunner(name);
  }

  /** Registers it by name, so that its suspended runs can be resumed. */
  add(own: CustomRunner): Runner {
    const { name } = own;
    const known = this.#input.get(name);
    if (known?.own === own) return known.runner;
    if (known !== undefined) {
      const message = `this workspace already has another runner ${JSON.stringify(name)}, which resumes its runs`;
      throw fail(`${message}: pass the same runner, or use another name`, { code: "validation_error" });
    }
    const runner = fromCustomRunner(own);
    this.#input.set(name, { own, runner });
    return runner;
  }
}
