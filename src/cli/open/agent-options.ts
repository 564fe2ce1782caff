import type { Workspace, WorkspaceAgentOptions } from "../../app/index.ts";
import { agentTable } from "../../agent/index.ts";
import { unknownModel } from "../../model/index.ts";
import type { OptionsOf, SettingsTable } from "../../schema/index.ts";
import type { Invocation } from "../program/invocation.ts";
import { UsageError } from "../program/usage-error.ts";

/** Agent options from the command line; `windlass.yaml` has the defaults. */
export function agentOptions(invocation: Invocation, workspace: Pick<Workspace, "models">): WorkspaceAgentOptions {
  const options = settingsIn(invocation, agentTable);
  if (options.model !== undefined) checkModel(options.model, workspace);
  return options;
}

/** The settings of a table that flags set. */
export function settingsIn<T extends SettingsTable>(
  invocation: Pick<Invocation, "text" | "number">,
  table: T,
): Partial<OptionsOf<T>> {
  const set = Object.entries(table).flatMap(([name, { flag }]) => {
    const value = flag === undefined ? undefined : (invocation.text(name) ?? invocation.number(name));
    return value === undefined ? [] : [[name, value]];
  });
  // The flags allow what the table does.
  return Object.fromEntries(set) as Partial<OptionsOf<T>>;
}

/** Throws if no model has this name; the error lists the existing ones. */
export function checkModel(name: string, { models }: Pick<Workspace, "models">): void {
  if (models.names.includes(name)) return;
  throw new UsageError(unknownModel(name, models.names), "models are configured under models: in windlass.yaml");
}
