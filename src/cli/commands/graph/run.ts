import { type ChainGraph, chainGraph, toGraphJson, toMermaid, toSvg } from "../../../chain/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import type { Invocation } from "../../program/invocation.ts";
import { withTools } from "../../open/open-tools.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { UsageError } from "../../program/usage-error.ts";
import { planForGraph } from "../../../app/index.ts";

/** `windlass graph`. */
export const drawGraph: RunCommand = async (invocation) => {
  const { terminal, words } = invocation;
  const draw = painterFor(invocation);
  await withTools(terminal, async (workspace) => {
    const { plan, missing } = await planForGraph(workspace, words[0] ?? "");
    terminal.print(draw(chainGraph(plan)).replace(/\n$/, ""));
    if (missing.length === 0) return;
    const names = missing.map(toOneLine).join(", ");
    terminal.log(`${terminal.tint("yellow", "warning:")} missing tools, so the chain cannot run: ${names}`);
  });
};

function painterFor(invocation: Invocation): (graph: ChainGraph) => string {
  const format = invocation.text("format") ?? "mermaid";
  const theme = invocation.text("theme");
  if (theme !== undefined && format !== "svg") {
    throw new UsageError("--theme requires --format svg", "omit it, or add --format svg");
  }
  if (format === "json") return (graph) => safeJson(toGraphJson(graph));
  if (format === "mermaid") return toMermaid;
  return (graph) => toSvg(graph, theme === "light" || theme === "dark" ? { theme } : {});
}
