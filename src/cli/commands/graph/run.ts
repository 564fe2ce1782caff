import {
  type ChainGraph,
  chainGraph,
  toGraphJson,
  toMermaid,
  toSvg,
  ChainLibrary,
  type Plan,
  isChainError,
} from "../../../chain/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import type { Invocation } from "../../program/invocation.ts";
import { withTools } from "../../open/open-tools.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { UsageError } from "../../program/usage-error.ts";
import { type Workspace, loadChain } from "../../../app/index.ts";
import { fromJsonSchema } from "../../../schema/index.ts";
import { type AnyTool, defineTool } from "../../../tool/index.ts";

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

/** A plan to draw, with the names of its missing tools. */
export interface GraphPlan {
  readonly plan: Plan;
  readonly missing: readonly string[];
}

/** Codes of problems that only mean that a called tool or chain is missing. */
export const missingTargetCodes: ReadonlySet<string> = new Set(["unknown_tool", "broken_chain"]);

/** Plans a chain for drawing, even if it cannot run because tools are missing. */
export async function planForGraph(workspace: Workspace, nameOrFile: string): Promise<GraphPlan> {
  try {
    return { plan: await workspace.loadChain(nameOrFile), missing: [] };
  } catch (error) {
    if (!isChainError(error)) throw error;
    const isAbsence = error.problems.every(
      ({ severity, code }) => severity === "warning" || missingTargetCodes.has(code),
    );
    const found = isAbsence ? await planWithoutTools(workspace, nameOrFile).catch(() => undefined) : undefined;
    if (found === undefined) throw error;
    return found;
  }
}

async function planWithoutTools(workspace: Workspace, nameOrFile: string): Promise<GraphPlan> {
  const { chains, chainFolder: folder, engine, config, dir } = workspace;
  const stubs = new Map<string, AnyTool>();
  const stubOf = (name: string): AnyTool => {
    const stub = stubs.get(name) ?? stubTool(name);
    stubs.set(name, stub);
    return stub;
  };
  const tools = {
    names: () => engine.tools.names(),
    resolve: (name: string) =>
      engine.tools.resolve(name) ?? { tool: stubOf(name), source: "missing", owner: "missing", priority: 0 },
  };
  const known = { env: config.env, secrets: Object.keys(config.secrets) };
  const library = new ChainLibrary({ tools, ...known, taint: "unchecked" });
  for (const name of chains.names()) {
    const source = chains.sourceOf(name);
    if (source !== undefined) library.add(source);
  }
  const plan = await loadChain(nameOrFile, { dir, library, folder, tools: engine.tools, toolProblems: () => [] });
  return { plan, missing: [...stubs.keys()] };
}

/** Accepts any input and output; its effect is unknown. */
function stubTool(name: string): AnyTool {
  const input = fromJsonSchema({ type: "object", additionalProperties: true });
  return defineTool({ name, description: "Missing tool.", effect: () => "once", input, run: () => null });
}
