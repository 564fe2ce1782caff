import type { AgentRun } from "../../run/agent-run.ts";
import { type OwnCommand, readOwnCommands } from "../commands/own-commands.ts";
import { GivenOptions } from "../options/given-options.ts";
import { runnerOptions } from "../options/runner-options.ts";

/** The options of an agent as the planned runner reads them. */
export interface PlannedOptions {
  readonly commands: readonly OwnCommand[];
}

/** Reads the options for the planned runner; of what cannot be used the run takes note. */
export function readPlannedOptions(run: AgentRun): PlannedOptions {
  const given = new GivenOptions(run, runnerOptions.planned);
  const { commands, faults } = readOwnCommands(given.take("commands", undefined));
  for (const { message } of faults) run.note(message);
  return { commands };
}
