import type { Workspace, WorkspaceAgentOptions } from "../../app/index.ts";
import { agentTable } from "../../agent/index.ts";
import { unknownModel } from "../../model/index.ts";
import type { Invocation } from "../program/invocation.ts";
import { settingsIn } from "../program/shared-options.ts";
import { UsageError } from "../program/usage-error.ts";

/** Agent options from the command line; `windlass.yaml` has the defaults. */
export function agentOptions(invocation: Invocation, workspace: Pick<Workspace, "models">): WorkspaceAgentOptions {
  const options = settingsIn(invocation, agentTable);
  if (options.model !== undefined) checkModel(options.model, workspace);
  return options;
}

/** Throws if no model has this name; the error lists the existing ones. */
export function checkModel(name: string, { models }: Pick<Workspace, "models">): void {
  if (models.names.includes(name)) return;
  throw new UsageError(unknownModel(name, models.names), "models are configured under models: in windlass.yaml");
}
