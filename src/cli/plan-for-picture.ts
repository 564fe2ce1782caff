import { type Workspace, loadChain } from "../app/index.ts";
import { ChainError, ChainLibrary, type Plan } from "../chain/index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import { type AnyTool, defineTool } from "../tool/index.ts";

/** A plan to look at, and the tools in it that are not there. */
export interface PicturePlan {
  readonly plan: Plan;
  readonly missing: readonly string[];
}

/** What is wrong with a chain only because something it calls is not there. */
export const absence: ReadonlySet<string> = new Set(["unknown_tool", "broken_chain"]);

/** The plan of a chain for a picture of it: also of one that cannot run because tools are missing. */
export async function planForPicture(workspace: Workspace, nameOrFile: string): Promise<PicturePlan> {
  try {
    return { plan: await workspace.loadChain(nameOrFile), missing: [] };
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const isAbsence = error.problems.every(({ severity, code }) => severity === "warning" || absence.has(code));
    const found = isAbsence ? await planWithoutTools(workspace, nameOrFile).catch(() => undefined) : undefined;
    if (found === undefined) throw error;
    return found;
  }
}

async function planWithoutTools(workspace: Workspace, nameOrFile: string): Promise<PicturePlan> {
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

/** Takes anything and gives anything; what it would do to the world is not known. */
function stubTool(name: string): AnyTool {
  const input = fromJsonSchema({ type: "object", additionalProperties: true });
  return defineTool({ name, description: "Is not there.", effect: () => "once", input, run: () => null });
}
