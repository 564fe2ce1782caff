import { workspaceSchema } from "../../app/index.ts";
import { toolFileSchema } from "../../tool/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { safeJson } from "../safe-json.ts";

/** `windlass schema`. */
export const printSchema: RunCommand = async ({ terminal, words }) => {
  terminal.print(safeJson(words[0] === "workspace" ? workspaceSchema : toolFileSchema));
};
