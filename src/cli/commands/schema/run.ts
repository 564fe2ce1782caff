import { workspaceSchema } from "../../../app/index.ts";
import { chainFileSchema } from "../../../chain/index.ts";
import { contractFileSchema } from "../../../hub/index.ts";
import { toolFileSchema } from "../../../tool/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { safeJson } from "../../terminal/safe-json.ts";

const schemas: Readonly<Record<string, unknown>> = {
  chain: chainFileSchema,
  tool: toolFileSchema,
  capability: contractFileSchema,
  workspace: workspaceSchema(),
};

/** `windlass schema`. */
export const printSchema: RunCommand = async ({ terminal, words }) => {
  terminal.print(safeJson(schemas[words[0] ?? ""]));
};
