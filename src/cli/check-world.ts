import { join } from "node:path";
import { ChainFolder, type WorkspaceConfig } from "../app/index.ts";
import { builtinChains, builtinTools } from "../builtin/index.ts";
import { ChainLibrary } from "../chain/index.ts";
import { type ToolFileWorld, createToolFolder } from "../hub/index.ts";
import type { Door } from "../net/index.ts";
import { type AnyTool, type ToolLookup, ToolRegistry } from "../tool/index.ts";

/** The workspace that is being checked. */
export interface Setting {
  readonly dir: string;
  readonly config: WorkspaceConfig;
  /** Told the name of a file that takes long to load. */
  readonly onSlowLoad: (file: string) => void;
}

/** What surrounds tool files that are being checked. */
export function worldOf({ dir, config, onSlowLoad }: Setting): ToolFileWorld {
  return { root: dir, executors: builtinExecutors(), secretNames: Object.keys(config.secrets), onSlowLoad };
}

/** The built-in tools, which send nothing. */
export function makeBuiltins(): readonly AnyTool[] {
  return builtinTools({ door: shutDoor });
}

/** The chains that files of chains may call, and everything else that their plans need to know. */
export interface ChainWorld {
  readonly library: ChainLibrary;
  readonly folder: ChainFolder;
}

/** Loads what chains of a workspace may call. `loaded` has the tools of its folder where they are loaded already. */
export async function chainWorld(setting: Setting, loaded?: readonly AnyTool[]): Promise<ChainWorld> {
  const { dir, config } = setting;
  const registry = new ToolRegistry();
  for (const tool of makeBuiltins()) registry.register(tool, { owner: "builtin" });
  if (loaded === undefined) {
    const tools = createToolFolder({ ...worldOf(setting), dir: join(dir, config.engine.toolsDirectory), registry });
    await tools.load();
    await tools.close();
  } else {
    registry.replace(loaded, { owner: "folder" });
  }
  const { env, chains, secrets } = config;
  const { maxParallel } = chains;
  const library = new ChainLibrary({ tools: registry, env, secrets: Object.keys(secrets), maxParallel });
  const folder = new ChainFolder({
    dir: join(dir, chains.directory),
    root: dir,
    library,
    builtins: builtinChains(),
    toolsVersion: () => registry.version,
    onChange: () => undefined,
  });
  await folder.reload();
  return { library, folder };
}

/** The built-in tools, made when a file names one: most files do not. */
function builtinExecutors(): ToolLookup {
  let made: ToolRegistry | undefined;
  const registry = (): ToolRegistry => {
    if (made === undefined) {
      made = new ToolRegistry();
      for (const tool of makeBuiltins()) made.register(tool);
    }
    return made;
  };
  return { get: (name) => registry().get(name), names: () => registry().names() };
}

/** Checking calls nothing, so nothing goes out. */
const shutDoor: Door = {
  request: () => Promise.reject(new Error("a check sends no requests")),
  close: () => Promise.resolve(),
};
