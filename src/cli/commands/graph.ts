import { type ChainGraph, chainGraph, toGraphJson, toMermaid, toSvg } from "../../chain/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { oneLine } from "../format-table.ts";
import type { Invocation } from "../invocation.ts";
import { withTools } from "../open-tools.ts";
import { planForPicture } from "../plan-for-picture.ts";
import { safeJson } from "../safe-json.ts";
import { UsageError } from "../usage-error.ts";

/** `windlass graph`. */
export const drawGraph: RunCommand = async (invocation) => {
  const { terminal, words } = invocation;
  const draw = painterFor(invocation);
  await withTools(terminal, async (workspace) => {
    const { plan, missing } = await planForPicture(workspace, words[0] ?? "");
    terminal.print(draw(chainGraph(plan)).replace(/\n$/, ""));
    if (missing.length === 0) return;
    const names = missing.map(oneLine).join(", ");
    terminal.tell(`${terminal.tint("yellow", "warning:")} not there, so the chain cannot run: ${names}`);
  });
};

function painterFor(invocation: Invocation): (graph: ChainGraph) => string {
  const format = invocation.text("format") ?? "mermaid";
  const theme = invocation.text("theme");
  if (theme !== undefined && format !== "svg") {
    throw new UsageError("--theme is for --format svg", "leave it out, or add --format svg");
  }
  if (format === "json") return (graph) => safeJson(toGraphJson(graph));
  if (format === "mermaid") return toMermaid;
  return (graph) => toSvg(graph, theme === "light" || theme === "dark" ? { theme } : {});
}
