import { cliCommand } from "../../base/index.ts";
import { suggest } from "../../text/index.ts";
import type { Invocation } from "./invocation.ts";
import { UsageError } from "./usage-error.ts";

/** The subcommands of a command. */
export interface Subcommands {
  readonly of: string;
  readonly names: readonly string[];
  /** Hints if none of the names is similar to the word. */
  readonly hints: (word: string) => readonly string[];
}

/** `windlass chains shwo x` is parsed as `list`, the default subcommand: throws for such a word. */
export function rejectSubcommandWord({ words: [word] }: Invocation, { of, names, hints }: Subcommands): void {
  if (word === undefined) return;
  const near = suggest(word, names);
  const all = near === undefined ? hints(word) : [`did you mean ${cliCommand(`${of} ${near}`)}?`];
  throw new UsageError(`unknown command "${of} ${word}"`, ...all);
}
