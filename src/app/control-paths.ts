import { realpathSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { isInsideFolder } from "../base/index.ts";
import type { ControlPath } from "../file/index.ts";
import { configFiles, loadedModules } from "../hub/index.ts";
import { codeFile, commandFiles } from "../tool/index.ts";
import { workspaceFile } from "./find-workspace.ts";
import type { Sources } from "./open-sources.ts";
import type { EditableKind, WorkspaceConfig } from "./workspace-config.ts";

/** Files with tools, chains, contracts or skills, in a workspace whose own folder is that of one of them. */
const loadable = /^skill\.md$|\.(?:ya?ml|[cm]?[jt]s)$/i;

/**
 * The files of a workspace that Windlass executes or obeys: settings, servers, packages, and the files of tools,
 * chains, skills, prompts and capabilities. `files.editable` opens kinds of them.
 */
export function controlPaths(
  dir: string,
  { engine, chains, skills, capabilities, files }: WorkspaceConfig,
  sources: Pick<Sources, "folder" | "skills" | "mcp">,
): ControlPath[] {
  const isOpen = (kinds: readonly EditableKind[]): boolean => kinds.every((kind) => files.editable.includes(kind));
  const folder = (path: string, kinds: readonly EditableKind[]): ControlPath[] =>
    isOpen(kinds) ? [] : [ofKinds(dir, path, kinds)];
  const named = [...sources.folder.dependencies(), ...(sources.skills?.dependencies() ?? [])];
  const modules = [...new Set([...named, ...loadedModules(dir)])];
  // The files that the commands of MCP servers name.
  const servers = (sources.mcp?.status() ?? []).flatMap(({ name }) => {
    const address = sources.mcp?.server(name)?.address;
    return address?.kind === "stdio" ? commandFiles([address.command, ...address.args], address.cwd) : [];
  });
  return [
    { path: workspaceFile, role: "the settings of the workspace" },
    ...configFiles.map((name) => ({ path: join(dir, name), role: "the MCP servers of the workspace" })),
    ...[".windlass", ".git"].map((name) => ({ path: join(dir, name), role: "the data of the workspace" })),
    ...servers.flatMap((path) => ofCode(dir, { path, role: "the MCP servers of the workspace" })),
    ...packageFiles(dir, [...modules, ...servers]),
    ...folder(engine.toolsDirectory, ["tools"]),
    ...(isOpen(["tools"]) ? [] : modules.flatMap((path) => ofCode(dir, ofKinds(dir, path, ["tools"])))),
    ...folder(chains.directory, ["chains"]),
    // With code, a skill is a tool too.
    ...folder(skills.directory, skills.code === true ? ["skills", "tools"] : ["skills"]),
    ...folder("prompts", ["prompts"]),
    { path: join(dir, capabilities.directory), role: "the capabilities of the workspace", followLinks: true },
  ];
}

/** A file that is executed, or the folder of a script: its code. In the workspace itself, scripts are only named ones. */
function ofCode(dir: string, control: ControlPath): ControlPath[] {
  if (!control.path.endsWith(sep)) return [{ ...control, onlyFile: true }];
  const path = resolve(control.path);
  return isInsideFolder(path, dir) && path !== resolve(dir) ? [{ ...control, path, only: codeFile }] : [];
}

function ofKinds(dir: string, path: string, kinds: readonly EditableKind[]): ControlPath {
  const full = resolve(dir, path);
  return {
    path: path.endsWith(sep) ? `${full}${sep}` : full,
    role: `the ${kinds[0]} of the workspace`,
    hint: `to let tools write it, set files: { editable: [${kinds.join(", ")}] } in ${workspaceFile}`,
    followLinks: true,
    // Otherwise nothing could be written at all.
    ...(full === resolve(dir) && { only: loadable }),
  };
}

/** Files that decide which packages the code of a workspace imports, in its folder and in those around its modules. */
function packageFiles(dir: string, modules: readonly string[]): ControlPath[] {
  const real = realpathSync(dir);
  const folders = new Set([dir]);
  for (const file of modules) {
    // Modules are known by their real paths.
    const root = isInsideFolder(file, dir) ? dir : real;
    for (let at = dirname(file); isInsideFolder(at, root) && !folders.has(at); at = dirname(at)) folders.add(at);
  }
  return [...folders].flatMap((folder) =>
    ["package.json", "node_modules"].map((name) => ({
      path: join(folder, name),
      role: "the packages of the workspace",
    })),
  );
}
