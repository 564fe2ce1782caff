import { type Clock, FailureError } from "../../base/index.ts";
import type { Engine } from "../../engine/index.ts";
import { type Model, baseFamily, brokenModel, createBudget, familyOf, noModel } from "../../model/index.ts";
import type { AgentListener } from "../agent-event.ts";
import { AgentRun } from "./agent-run.ts";
import { type AgentSpec, budgetOf } from "./agent-spec.ts";
import type { CallAccount } from "./call-account.ts";
import type { KeptAgentRun } from "./kept-run.ts";
import type { RunInHand } from "./run-in-hand.ts";

/** With what a run works. */
export interface RunParts {
  readonly engine: Engine;
  /** The model of this name, the default one where absent; undefined where there is none. */
  readonly model: (name: string | undefined) => Model | undefined;
  /** What a runner fails with where there is no model that it could ask. */
  readonly noModel?: (who: string) => FailureError;
  /** Of those who are told what happens in runs, such as `Europe/Berlin`; UTC where absent. */
  readonly timezone?: string | undefined;
}

/** What a run still does. */
interface Life {
  readonly asks: boolean;
  readonly listener: AgentListener | undefined;
  /** Absent for a look at what happened: the journal alone tells when. */
  readonly clock: Clock | undefined;
  /** Who pays for what it uses, besides itself. */
  readonly account?: CallAccount | undefined;
}

/** A run at its beginning, whether it begins, goes on or is only told again. Throws where its model is not there. */
export function makeRun(parts: RunParts, { lease, question, kept }: RunInHand, life: Life): AgentRun {
  const { spec, under } = kept;
  const model = modelOf(parts, kept, life.asks);
  const run = new AgentRun({
    runId: lease.runId,
    conversationId: under,
    spec,
    engine: parts.engine,
    model,
    family: model === undefined ? baseFamily : (model.family ?? familyOf(model.modelId, model.provider)),
    budget: life.account?.open(lease.runId, budgetOf(spec)) ?? createBudget(budgetOf(spec)),
    listener: life.listener,
    clock: life.clock,
    timezone: parts.timezone,
  });
  run.tainted = question.tainted === true;
  return run;
}

/** The failure of a run that has nobody to ask. */
export function nobodyToAsk(parts: RunParts, { runner }: AgentSpec): FailureError {
  return (parts.noModel ?? noModel)(`the runner ${runner}`);
}

/** The model of a run. One that is only told again asks nobody, and needs none that answers. */
function modelOf(parts: RunParts, { alone, spec }: KeptAgentRun, asks: boolean): Model | undefined {
  if (alone) return undefined;
  try {
    const model = parts.model(spec.model);
    if (model !== undefined) return model;
    throw nobodyToAsk(parts, spec);
  } catch (error) {
    if (asks || !(error instanceof FailureError)) throw error;
    return brokenModel(error);
  }
}
