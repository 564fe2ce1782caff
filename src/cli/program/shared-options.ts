import { agentTable } from "../../agent/index.ts";
import { type OptionsOf, type SettingsTable, defaultOf, settingKey } from "../../schema/index.ts";
import type { OptionSpec } from "./command-spec.ts";
import type { Invocation } from "./invocation.ts";

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
