import { agentTable } from "../../agent/index.ts";
import { type SettingsTable, defaultOf, settingKey } from "../../schema/index.ts";
import type { OptionSpec } from "./command-spec.ts";

/** Option of most commands. */
export const json: OptionSpec = { flags: "--json", about: "print JSON" };

/** The flags of a table of settings. */
export function flagsOf(table: SettingsTable): OptionSpec[] {
  return Object.entries(table).flatMap(([name, setting]) => {
    const { type, flag, choices, about = "" } = setting;
    if (flag === undefined) return [];
    const text = `${about.charAt(0).toLowerCase()}${about.slice(1).replace(/[.:]+$/, "")}`;
    return {
      flags: `--${settingKey(name, setting).replaceAll("_", "-")} ${flag}`,
      about: `${text} (default: from windlass.yaml, or ${defaultOf(setting)})`,
      ...(choices !== undefined && { choices }),
      ...(type !== "text" && { min: type === "count" ? 1 : 0, whole: true }),
    };
  });
}

/** Options of the commands that run an agent. */
export const agentOptions: readonly OptionSpec[] = flagsOf(agentTable);

/** Option that prints events. */
export const events: OptionSpec = { flags: "--events", about: "print all events as JSON, one per line" };

/** Argument that names a run. */
export const runId = {
  name: "RUN",
  about: "id of the run, as listed by `windlass runs`; last for the newest",
  completes: "run",
} as const;
