import { systemClock, isInsideFolder, type Clock, nodeCrypto, systemErrorCode } from "../../base/index.ts";
import { type Problem, hasErrors } from "../../text/index.ts";
import {
  type AnyTool,
  type ToolFileOptions,
  describeError,
  importHint,
  parseToolFile,
  importFresh,
  isTool,
} from "../../tool/index.ts";
import { fileProblem, readText } from "./read-text.ts";
import { registerHooks } from "node:module";
import { realpathSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** A file to load. */
export interface ToolFileLocation {
  readonly path: string;
  /** Named in problems. */
  readonly name: string;
  readonly kind: "yaml" | "code";
}

/** Environment of tool files; the workspace must be known. */
export interface ToolFileDeps extends Omit<ToolFileOptions, "file" | "path"> {
  readonly root: string;
  /** Called with the name of a file that is still loading after 2 s. */
  readonly onSlowLoad?: (file: string) => void;
}

/** Result of loading a file. */
export interface LoadedFile {
  readonly tools: readonly AnyTool[];
  readonly problems: readonly Problem[];
  /** The text, for code frames. */
  readonly source: string;
  /** Other files whose change reloads this one. */
  readonly modules: readonly string[];
  /** Files that its tools execute or read: modules that its code imports, and files that its command names. */
  readonly dependencies: readonly string[];
  /** The cause of the failure may be outside the file: loading it again may help though it did not change. */
  readonly retry: boolean;
}

/** Code that takes longer to load is reported. */
const slowMs = 2_000;

/** Loads the tools of one file, YAML or code. Never throws: errors are in `problems`. */
export async function loadToolFile(file: ToolFileLocation, world: ToolFileDeps): Promise<LoadedFile> {
  const text = await readText(file);
  if (text.problem !== undefined) return failed(text.problem);
  const { clock = systemClock, onSlowLoad } = world;
  const slow = onSlowLoad && clock.after(slowMs, () => onSlowLoad(file.name));
  try {
    hookModuleLoader();
    return await revised({ ...file, source: text.source }, world);
  } catch (error) {
    // Nothing below throws by design; a bug in one file must still not take the others down.
    return failed(fileProblem(file.name, "load_failed", `the file could not be loaded: ${describeError(error)}`));
  } finally {
    slow?.cancel();
  }
}

/** Adds the version of the file, and of the code behind it, to its tools. */
async function revised(file: ToolFileLocation & { source: string }, world: ToolFileDeps): Promise<LoadedFile> {
  const loaded = await loadText(file, world);
  const { source, path } = file;
  const modules = file.kind === "code" ? importsIn(source, path) : loaded.modules;
  const { paths, texts } = await readModules(modules, world.root);
  const dependencies = [...loaded.dependencies, ...paths];
  return { ...loaded, dependencies, tools: withRevision(loaded.tools, [source, ...texts]) };
}

async function loadText(file: ToolFileLocation & { source: string }, world: ToolFileDeps): Promise<LoadedFile> {
  const { source, name, path } = file;
  if (file.kind === "code") return await loadCodeFile(file, { ...world, clock: world.clock ?? systemClock });
  const { tool, problems, modules, commandFiles } = await parseToolFile(source, { ...world, file: name, path });
  const retry = modules.length > 0 && hasErrors(problems);
  const dependencies = [...modules, ...commandFiles];
  return { tools: tool === undefined ? [] : [tool], problems, source, modules, dependencies, retry };
}

function failed(problem: Problem): LoadedFile {
  return { tools: [], problems: [problem], source: "", modules: [], dependencies: [], retry: false };
}

/** Exports of the package, and the module of each beside this file's folder, or beside this chunk in a bundle. */
const entries: ReadonlyMap<string, string> = new Map([
  ["windlass", "index"],
  ["windlass/agent", "agent"],
  ["windlass/ai-sdk", "ai-sdk"],
  ["windlass/chain", "chain"],
  ["windlass/client", "client"],
  ["windlass/hub", "hub"],
  ["windlass/langchain", "langchain"],
  ["windlass/mcp", "mcp"],
  ["windlass/otel", "otel"],
  ["windlass/server", "server"],
  ["windlass/testing", "testing"],
  ["windlass/tools", "tools"],
]);

let hooked = false;

/** URLs of the files that the module loader resolved, without queries. */
const loadedUrls = new Set<string>();

/**
 * Lets the code of a workspace import `windlass` if it is not installed: it gets the running copy. A workspace with its
 * own installation keeps it. Also records which files are loaded, also later, by the handlers of tools.
 */
function hookModuleLoader(): void {
  if (hooked) return;
  hooked = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = resolveOrOwn(
        specifier,
        () => nextResolve(specifier, context),
        (url) => nextResolve(url, context),
      );
      if (resolved.url.startsWith("file:")) loadedUrls.add(resolved.url.replace(/[?#].*$/s, ""));
      return resolved;
    },
  });
}

/** The files inside a folder that the module loader loaded in this process, by real path. */
export function loadedModules(root: string): string[] {
  const real = realpathSync(root);
  return Array.from(loadedUrls, (url) => fileURLToPath(url)).filter((path) => isWorkspaceModule(path, [root, real]));
}

function resolveOrOwn<T>(specifier: string, resolveInstalled: () => T, resolveUrl: (url: string) => T): T {
  const entry = entries.get(specifier);
  if (entry === undefined) return resolveInstalled();
  try {
    return resolveInstalled();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return resolveUrl(urlOf(entry));
  }
}

function urlOf(entry: string): string {
  const path = import.meta.url.endsWith(".ts") ? `../../${entry}.ts` : `${entry}.js`;
  return new URL(path, import.meta.url).href;
}

function isNotFound(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}

/** A tool whose code is spread over more files than this is known by the first of them. */
const maxModules = 200;

/** `from "./x.ts"`, `import "./x.ts"`, `import("./x.ts")`, `require("./x.cjs")`. A match in a comment is harmless. */
const relativeImport = /\b(?:from|import|require)\b\s*\(?\s*(["'`])(\.{1,2}\/[^"'`\n]{1,500})\1/g;

/**
 * The names and texts of modules and of all workspace files that they import, each once and in a fixed order:
 * everything that determines their tools. Packages have their own versions and are omitted.
 */
async function readModules(
  modules: readonly string[],
  root: string,
): Promise<{ readonly paths: readonly string[]; readonly texts: readonly string[] }> {
  if (modules.length === 0) return { paths: [], texts: [] };
  const paths = new Set(modules);
  const texts: string[] = [];
  // A module may be named by its real path, or by a link.
  const roots = [root, await realpath(root).catch(() => root)];
  // The set grows during the iteration: imported files are visited in turn.
  for (const path of paths) {
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text === undefined) continue;
    const from = roots.find((folder) => isInsideFolder(path, folder)) ?? root;
    texts.push(relative(from, path).split(sep).join("/"), text);
    for (const found of importsIn(text, path))
      if (paths.size < maxModules && isWorkspaceModule(found, roots)) paths.add(found);
  }
  return { paths: [...paths], texts };
}

/** The files that the text of a module imports by a relative path. */
function importsIn(text: string, path: string): string[] {
  return [...text.matchAll(relativeImport)].map(([, , specifier = ""]) =>
    // A query makes another module of the same file.
    resolve(dirname(path), specifier.replace(/[?#].*$/, "")),
  );
}

function isWorkspaceModule(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isInsideFolder(path, root)) && !path.split(sep).includes("node_modules");
}

/**
 * Loads every tool that a module exports: tools made by `defineTool`, lists of them, and groups (`{ tools: [...] }`).
 * TypeScript runs as it is, its types stripped by Node. A module that exports no tool is simply none.
 */
async function loadCodeFile(
  file: ToolFileLocation & { readonly source: string },
  world: ToolFileDeps & { readonly clock: Clock },
): Promise<LoadedFile> {
  const { name, path, source } = file;
  const refusal = world.refuses?.({ module: path, secrets: [] });
  if (refusal !== undefined) {
    const problem: Problem = { ...fileProblem(name, "not_checked", refusal.message), severity: "warning" };
    return { tools: [], problems: [problem], source, modules: [], dependencies: [], retry: false };
  }
  try {
    const exports = await importFresh(path, world);
    const tools = new Set(Object.values(exports).flatMap((value) => toolsIn(value)));
    return { tools: [...tools], problems: sameNames(tools, name), source, modules: [], dependencies: [], retry: false };
  } catch (error) {
    const message = `the module failed to load: ${describeError(error)}`;
    const { locateLoadError } = await import("./locate-load-error.ts");
    const position = await locateLoadError(error, file);
    const hint = importHint(error, { path, root: world.root });
    const content = { code: "module_failed", message, ...(hint !== undefined && { hint }) };
    const problem: Problem = { severity: "error", ...content, file: name, ...position };
    return { tools: [], problems: [problem], source, modules: [], dependencies: [], retry: true };
  }
}

function toolsIn(value: unknown): AnyTool[] {
  if (isTool(value)) return [value];
  if (Array.isArray(value)) return value.flatMap((item) => (isTool(item) ? [item] : []));
  const isGroup = typeof value === "object" && value !== null && "tools" in value && Array.isArray(value.tools);
  return isGroup ? toolsIn(value.tools) : [];
}

/** Two tools of one module may not have one name. */
function sameNames(tools: ReadonlySet<AnyTool>, file: string): Problem[] {
  const byName = Map.groupBy(tools, (tool) => tool.name);
  return [...byName].flatMap(([name, same]) => {
    if (same.length === 1) return [];
    const message = `the module exports ${same.length} tools of the name "${name}"`;
    return [{ severity: "error", code: "duplicate_tool", message, file, line: 1, column: 1 } as const];
  });
}

/** A module that is reloaded in an earlier version returns the same tool objects, and so does this. */
const revisedTools = new WeakMap<AnyTool, { readonly texts: string; readonly tool: AnyTool }>();

/**
 * Returns the same tools with a revision, a hash of their source texts. The hash is computed on demand: runs of chains
 * need it, most programs never do.
 */
export function withRevision(tools: readonly AnyTool[], input: readonly string[]): AnyTool[] {
  // One text in which the boundaries of the texts are unambiguous.
  const texts = input.length === 1 ? (input[0] ?? "") : JSON.stringify(input);
  let hash: string | undefined;
  const revision = (): string => (hash ??= nodeCrypto().createHash("sha256").update(texts).digest("hex").slice(0, 32));
  return tools.map((tool) => {
    const before = revisedTools.get(tool);
    if (before?.texts === texts) return before.tool;
    const made = Object.freeze(Object.defineProperty({ ...tool }, "revision", { get: revision, enumerable: true }));
    revisedTools.set(tool, { texts, tool: made });
    return made;
  });
}
