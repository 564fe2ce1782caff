import { ToolFinder } from "../../hub/index.ts";
import { suggest } from "../../text/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { tellBroken, withTools } from "../open-tools.ts";
import { safeJson } from "../safe-json.ts";
import { toolTable } from "../tool-table.ts";
import { toWireTool } from "../wire-tool.ts";

/** More than this is no answer to a question. */
const usualLimit = 20;

/** `windlass tools search`. */
export const searchTools: RunCommand = async (invocation) => {
  await withTools(invocation.terminal, (workspace) => {
    const { terminal, words } = invocation;
    const { tools } = workspace.engine;
    const query = words.join(" ");
    const limit = invocation.number("limit") ?? usualLimit;
    const found = new ToolFinder(tools).search(query, { limit }).map(({ registration }) => registration);
    if (invocation.flag("json")) {
      terminal.print(safeJson(found.map((registration) => toWireTool(registration, workspace))));
    } else if (found.length === 0) {
      const near = suggest(query, tools.names());
      terminal.tell(`No tool matches${near === undefined ? "." : `; did you mean ${near}?`}`);
    } else {
      for (const line of toolTable(found, terminal)) terminal.print(line);
    }
    tellBroken(workspace, invocation);
  });
};
