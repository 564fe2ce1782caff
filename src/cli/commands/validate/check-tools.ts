import { toolFileNames } from "../../../app/index.ts";
import { builtinDefinitions } from "../../../builtin/index.ts";
import { type ToolFileDeps, createToolFolder, loadToolFile } from "../../../hub/index.ts";
import type { Problem } from "../../../text/index.ts";
import { ToolRegistry } from "../../../tool/index.ts";
import { type LoadedTools, type CheckContext } from "./check-deps.ts";

/** Loads the tools of a folder. */
export async function loadToolFolder(dir: string, setting: CheckContext): Promise<LoadedTools> {
  const registry = new ToolRegistry();
  const folder = createToolFolder({ ...(await toolFileDepsOf(setting)), dir, registry });
  await folder.load();
  await folder.close();
  const tools = registry.list().map(({ tool }) => tool);
  return { tools, problems: folder.problems(), fileError: (name) => folder.fileError(name) };
}

/** Loads the tools of one file. */
export async function loadToolsIn(
  path: string,
  kind: "yaml" | "code",
  setting: CheckContext,
): Promise<Omit<LoadedTools, "fileError">> {
  const { tools, problems } = await loadToolFile({ path, name: path, kind }, await toolFileDepsOf(setting));
  return { tools, problems: tools.length === 0 && problems.length === 0 ? [noTool(path)] : problems };
}

async function toolFileDepsOf({ dir, config, trust, onSlowLoad }: CheckContext): Promise<ToolFileDeps> {
  const executors = new ToolRegistry();
  executors.offer(builtinDefinitions());
  return { root: dir, executors, ...toolFileNames(config, trust), refuses: trust.refuses, onSlowLoad };
}

function noTool(file: string): Problem {
  return {
    severity: "warning",
    code: "no_tool",
    message: "the module exports no tool",
    hint: "export the result of defineTool(), or name the module in the `entry` of a YAML tool",
    file,
    line: 1,
    column: 1,
  };
}
