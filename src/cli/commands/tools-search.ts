import { suggest } from "../../text/index.ts";
import type { AnyTool, Registration } from "../../tool/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { tellBroken, withTools } from "../open-tools.ts";
import { safeJson } from "../safe-json.ts";
import { toolTable } from "../tool-table.ts";
import { toWireTool } from "../wire-tool.ts";

/** `windlass tools search`. */
export const searchTools: RunCommand = async (invocation) => {
  await withTools(invocation.terminal, (workspace) => {
    const { terminal, words } = invocation;
    const all = workspace.engine.tools.list();
    const found = search(all, words);
    if (invocation.flag("json")) {
      terminal.print(safeJson(found.map((registration) => toWireTool(registration, workspace))));
    } else if (found.length === 0) {
      const near = suggest(words.join(" "), workspace.engine.tools.names());
      terminal.tell(`No tool matches${near === undefined ? "." : `; did you mean ${near}?`}`);
    } else {
      for (const line of toolTable(found, terminal)) terminal.print(line);
    }
    tellBroken(workspace, invocation);
  });
};

/** Those that match most words first, and among them the closest. */
function search(tools: readonly Registration[], words: readonly string[]): Registration[] {
  const wanted = words.flatMap((word) => word.toLowerCase().split(/\s+/)).filter((word) => word !== "");
  return tools
    .map((registration) => {
      const scores = wanted.map((word) => scoreOf(registration.tool, word));
      const matched = scores.filter((score) => score > 0).length;
      return { registration, matched, score: scores.reduce((sum, score) => sum + score, 0) };
    })
    .filter(({ matched }) => matched > 0)
    .toSorted((a, b) => b.matched - a.matched || b.score - a.score)
    .map(({ registration }) => registration);
}

function scoreOf(tool: AnyTool, word: string): number {
  const names = [tool.name, tool.displayName, ...tool.aliases].map((name) => name.toLowerCase());
  if (names.includes(word)) return 16;
  if (names.some((name) => name.includes(word))) return 8;
  if ([tool.category, ...tool.tags, ...tool.capabilities].some((label) => label.toLowerCase().includes(word))) return 4;
  return tool.description.toLowerCase().includes(word) ? 2 : 0;
}
