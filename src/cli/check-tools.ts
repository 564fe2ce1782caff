import { type ToolFileWorld, createToolFolder, loadToolFile } from "../hub/index.ts";
import type { Problem } from "../text/index.ts";
import { ToolRegistry } from "../tool/index.ts";
import { type LoadedTools, type Setting, offerBuiltins } from "./check-world.ts";

/** Loads the tools of a folder. */
export async function loadToolFolder(dir: string, setting: Setting): Promise<LoadedTools> {
  const registry = new ToolRegistry();
  const folder = createToolFolder({ ...(await worldOf(setting)), dir, registry });
  await folder.load();
  await folder.close();
  return { tools: registry.list().map(({ tool }) => tool), problems: folder.problems() };
}

/** Loads the tools of one file. */
export async function loadToolsIn(path: string, kind: "yaml" | "code", setting: Setting): Promise<LoadedTools> {
  const { tools, problems } = await loadToolFile({ path, name: path, kind }, await worldOf(setting));
  return { tools, problems: tools.length === 0 && problems.length === 0 ? [noTool(path)] : problems };
}

async function worldOf({ dir, config, onSlowLoad }: Setting): Promise<ToolFileWorld> {
  const executors = new ToolRegistry();
  executors.offer(await offerBuiltins());
  return { root: dir, executors, secretNames: Object.keys(config.secrets), onSlowLoad };
}

function noTool(file: string): Problem {
  return {
    severity: "warning",
    code: "no_tool",
    message: "the module exports no tool",
    hint: "export what defineTool() gives, or name the module in the `entry` of a YAML tool",
    file,
    line: 1,
    column: 1,
  };
}
