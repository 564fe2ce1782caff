import { type Clock, type FailureError, isFailureError } from "../../base/index.ts";
import type { Engine } from "../../engine/index.ts";
import {
  type Model,
  baseFamily,
  brokenModel,
  createBudget,
  faultOf,
  resolveModelFamily,
  noModel,
} from "../../model/index.ts";
import type { AgentListener } from "../events/agent-event.ts";
import { AgentRun } from "./agent-run.ts";
import { type AgentSpec, budgetOf } from "./agent-spec.ts";
import type { Runner } from "./runner.ts";
import type { UsageAccount } from "./usage-account.ts";
import type { PersistedAgentRun } from "./persisted-agent-run.ts";
import type { LoadedAgentRun } from "./loaded-agent-run.ts";

/** Services that a run works with. */
export interface AgentRunServices {
  readonly engine: Engine;
  /** The model of this name, or the default model; undefined if there is none. */
  readonly model: (name: string | undefined) => Model | undefined;
  /** Creates the failure of a runner that needs a model if there is none. */
  readonly noModel?: (feature: string) => FailureError;
  /** Time zone of the users, such as `Europe/Berlin`. Default: UTC. */
  readonly timezone?: string | undefined;
}

/** Context of one execution or replay of a run. */
interface RunExecution {
  readonly requestsModel: boolean;
  readonly listener: AgentListener | undefined;
  /** Absent in a replay for inspection: all times come from the journal. */
  readonly clock: Clock | undefined;
  /** Account that is charged for its usage in addition to its own budget. */
  readonly account?: UsageAccount | undefined;
}

/** Creates a run at its start, to be executed, resumed or only replayed. Throws if its model is missing. */
export function createAgentRun(
  parts: AgentRunServices,
  { lease, prompt, persisted }: LoadedAgentRun,
  life: RunExecution,
): AgentRun {
  const { spec, recordConversationId } = persisted;
  const model = modelOf(parts, persisted, life.requestsModel);
  return new AgentRun({
    runId: lease.runId,
    conversationId: recordConversationId,
    spec,
    engine: parts.engine,
    model,
    family: model === undefined ? baseFamily : (model.family ?? resolveModelFamily(model.modelId, model.provider)),
    budget: life.account?.open(lease.runId, budgetOf(spec)) ?? createBudget(budgetOf(spec)),
    listener: life.listener,
    clock: life.clock,
    timezone: parts.timezone,
    prompt,
  });
}

/** The failure of a run without a model. */
function noModelFailure(parts: AgentRunServices, { runner }: AgentSpec): FailureError {
  return (parts.noModel ?? noModel)(`the runner ${runner}`);
}

/** True if a new run works without a model. Throws if its runner needs one, and none is usable. */
export function worksWithoutModel(
  parts: AgentRunServices & { readonly runner: (name: string) => Pick<Runner, "worksAlone"> },
  spec: AgentSpec,
): boolean {
  const { worksAlone = false } = parts.runner(spec.runner);
  const model = parts.model(spec.model);
  if (worksAlone) return model === undefined;
  if (model === undefined) throw noModelFailure(parts, spec);
  const fault = faultOf(model);
  if (fault !== undefined) throw fault;
  return false;
}

/** The model of a run. A replay makes no model requests and needs no working model. */
function modelOf(
  parts: AgentRunServices,
  { withoutModel, spec }: PersistedAgentRun,
  pendingApproval: boolean,
): Model | undefined {
  if (withoutModel) return undefined;
  try {
    const model = parts.model(spec.model);
    if (model !== undefined) return model;
    throw noModelFailure(parts, spec);
  } catch (error) {
    if (pendingApproval || !isFailureError(error)) throw error;
    return brokenModel(error);
  }
}
