import { ChainLibrary, type Plan, isChainError } from "../chain/index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import { type AnyTool, defineTool } from "../tool/index.ts";
import { loadChain } from "./load-chain.ts";
import type { Workspace } from "./workspace.ts";

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
