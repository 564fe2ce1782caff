import type { RunCommand } from "../command-spec.ts";
import { completionScripts } from "../completion-scripts.ts";

/** `windlass completion`. */
export const printCompletion: RunCommand = async ({ terminal, words }) => {
  terminal.print(completionScripts.get(words[0] ?? "") ?? "");
};
