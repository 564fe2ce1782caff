import type { ExitCode } from "./exit-codes.ts";
import type { Invocation } from "./invocation.ts";
import { agentTable } from "../../agent/index.ts";
import { type SettingsTable, defaultOf, settingKey } from "../../schema/index.ts";

/** Kinds of candidates that a shell can offer for a word. */
export type Completes = "tool" | "parameter" | "chain" | "input" | "run" | "step" | "file" | "folder" | "approval";

/** A positional argument. */
export interface ArgumentSpec {
  /** In capitals, as in the help. */
  readonly name: string;
  readonly about: string;
  readonly optional?: boolean;
  /** Takes all remaining words. */
  readonly several?: boolean;
  readonly choices?: readonly string[];
  readonly completes?: Completes;
  /** A run may be named here, although something else is completed: `last` stands for the newest run. */
  readonly namesRun?: boolean;
}

/** An option of a command. */
export interface OptionSpec {
  /** `-C, --dir DIR`; without a word in capitals it is a switch. `KEY=VALUE` counts as such a word. */
  readonly flags: string;
  readonly about: string;
  readonly choices?: readonly string[];
  /** The value is a number with this minimum. */
  readonly min?: number;
  /** With {@link min}: the maximum. */
  readonly max?: number;
  /** With {@link min}: an integer. */
  readonly whole?: boolean;
  /** May be repeated. */
  readonly several?: boolean;
  readonly completes?: Completes;
}

/** Runs a command; without an exit code it succeeded. */
export type RunCommand = (invocation: Invocation) => Promise<ExitCode | void>;

/** A command as data: the program, shell completion and the reference are generated from it. */
export interface CommandSpec {
  readonly name: string;
  /** One line, for lists. */
  readonly summary: string;
  /** Further text of its own help. */
  readonly details?: string;
  readonly args?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Complete command lines. */
  readonly examples?: readonly string[];
  /**
   * Works on a server, too. If omitted, it works on the workspace of this machine only, and says so; `false` for a command
   * without a workspace.
   */
  readonly remote?: boolean;
  /** Not listed in help. */
  readonly hidden?: boolean;
  /** Takes every word literally, including those that look like options. */
  readonly raw?: boolean;
  /** Subcommands; the first one runs if none is named. */
  readonly commands?: readonly CommandSpec[];
  /** Loads the implementation; called only when the command runs. */
  readonly load?: () => Promise<RunCommand>;
}

/** Commands that are listed together. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandSpec[];
}

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
