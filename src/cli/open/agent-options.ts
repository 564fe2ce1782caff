import type { Workspace, WorkspaceAgentOptions } from "../app/index.ts";
import { unknownModel } from "../model/index.ts";
import type { Invocation } from "./invocation.ts";
import { UsageError } from "./usage-error.ts";

/** What the command line says about the agent; the rest is as `windlass.yaml` has it. */
export function agentOptions(invocation: Invocation, workspace: Pick<Workspace, "models">): WorkspaceAgentOptions {
  const runner = invocation.text("runner");
  const model = invocation.text("model");
  const maxRounds = invocation.number("maxRounds");
  if (model !== undefined) checkModel(model, workspace);
  return {
    ...(runner !== undefined && { runner }),
    ...(model !== undefined && { model }),
    ...(maxRounds !== undefined && { maxRounds }),
  };
}

/** Throws where no model has this name, with those that there are. */
export function checkModel(name: string, { models }: Pick<Workspace, "models">): void {
  if (models.names.includes(name)) return;
  throw new UsageError(unknownModel(name, models.names), "models: in windlass.yaml names them");
}
