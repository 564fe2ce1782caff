import type { ExitCode } from "./exit-codes.ts";
import type { Invocation } from "./invocation.ts";

/** What a shell can offer for a word that is being typed. */
export type Completes = "tool" | "parameter" | "chain" | "run" | "file" | "folder" | "approval";

/** A word of the command line, by its place. */
export interface ArgumentSpec {
  /** In capitals, as help shows it. */
  readonly name: string;
  readonly about: string;
  readonly optional?: boolean;
  /** Takes all words that are left. */
  readonly several?: boolean;
  readonly choices?: readonly string[];
  readonly completes?: Completes;
}

/** An option of a command. */
export interface OptionSpec {
  /** `-C, --dir DIR`; without a word in capitals it is a switch. `KEY=VALUE` is such a word too. */
  readonly flags: string;
  readonly about: string;
  readonly choices?: readonly string[];
  /** The value is a number of at least this. */
  readonly atLeast?: number;
  /** With {@link atLeast}: a whole number. */
  readonly whole?: boolean;
  /** May be given more than once. */
  readonly several?: boolean;
  readonly completes?: Completes;
}

/** Does the work of a command; without a code it went well. */
export type RunCommand = (invocation: Invocation) => Promise<ExitCode | void>;

/** A command, described as data: the program, shell completion and the reference are made from it. */
export interface CommandSpec {
  readonly name: string;
  /** One line, for lists. */
  readonly summary: string;
  /** What else its own help says. */
  readonly details?: string;
  readonly args?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Whole command lines. */
  readonly examples?: readonly string[];
  /** Not listed in help. */
  readonly hidden?: boolean;
  /** Takes every word as it is, also those that look like options. */
  readonly raw?: boolean;
  /** Commands beneath; the first of them runs when none is named. */
  readonly commands?: readonly CommandSpec[];
  /** Loaded when it runs, never before. */
  readonly load?: () => Promise<RunCommand>;
}

/** Commands that are listed together. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandSpec[];
}
