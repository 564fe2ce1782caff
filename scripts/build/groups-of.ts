import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CodeSplittingGroup, CodeSplittingOptions, OutputChunk } from "rolldown";
import { asItIs } from "./plugins.ts";
import type { TracedImport } from "./trace-imports.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The code that is loaded together: by the functions of an entry, or by a command. */
const loadedTogether: readonly (readonly string[])[] = [
  ["index.ts"],
  ["chain.ts"],
  ["agent.ts"],
  ["tools.ts"],
  ["app/index.ts", "app/open-hub.ts", "app/open-services.ts", "cli/commands/run/run.ts"],
  ["hub.ts", "mcp.ts", "testing.ts"],
];

/** A chunk for every module, to find out which modules are loaded together. */
export function chunkPerModule(): CodeSplittingOptions {
  const names = new Map<string, string>();
  const name = (id: string): string => {
    const known = names.get(id) ?? `module-${names.size}`;
    names.set(id, known);
    return known;
  };
  const test = (id: string): boolean => !isEntryModule(id);
  return { includeDependenciesRecursively: false, groups: [{ name, debugName: "modules", test }] };
}

/** Modules that imports and commands execute. */
export interface Traced {
  /** For every entry, what an import executes. */
  readonly imports: ReadonlyMap<string, TracedImport>;
  /** For every command, the modules that it executes. */
  readonly commands: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * One file for all modules that the same entries and commands load: finding and reading hundreds of files takes time.
 * What an import or a command executes is in other files than what only functions need. The modules that a group of
 * modules uses while it is executed are in the group itself, or in a group with more users; so no two files wait for
 * each other.
 */
export function groupsOf(
  chunks: readonly OutputChunk[],
  libraries: readonly string[],
  { imports, commands }: Traced,
): CodeSplittingGroup[] {
  const executed = new Set([...imports.values()].flatMap((traced) => [...traced.executed]));
  const seen = seenIn(chunks, libraries);
  // The first group that a module belongs to gets it.
  const groups = new Map([["core", new Set<string>()]]);
  for (const [id, users] of usersOf(chunks)) {
    const suffix = executed.has(id) ? ["import"] : [];
    const running = [...commands].filter(([, ids]) => ids.has(id)).map(([command]) => command);
    const whose = running.length > 0 ? [seen.has(id) ? "library" : "program", ...running] : whoseOf(users);
    const name = imports.get("index")?.executed.has(id) === true ? "core" : [...whose, ...suffix].join("-");
    groups.set(name, (groups.get(name) ?? new Set()).add(id));
  }
  const belongs = (name: string, ids: ReadonlySet<string>, id: string): boolean =>
    ids.has(id) || (name === "core" && id.startsWith(asItIs));
  return [...groups].map(([name, ids]) => ({ name, test: (id) => belongs(name, ids, id) }));
}

/** The modules that the entries can load, now or later. */
function seenIn(chunks: readonly OutputChunk[], libraries: readonly string[]): Set<string> {
  const reached = new Set(libraries.map((name) => `${name}.cjs`));
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  for (const name of reached) {
    const { imports = [], dynamicImports = [] } = byFile.get(name) ?? {};
    for (const other of [...imports, ...dynamicImports]) reached.add(other);
  }
  return new Set([...reached].flatMap((name) => byFile.get(name)?.moduleIds ?? []));
}

function whoseOf(users: readonly number[]): (string | number)[] {
  const major = users.filter((user) => user !== loadedTogether.length - 1);
  // Nearly everything uses the modules of the main entry, so these are not divided by their users.
  return users.includes(0) ? ["main"] : ["shared", ...(major.length > 0 ? major : users)];
}

/** For every module, the numbers of the entries and commands that import it, directly or indirectly. */
function usersOf(chunks: readonly OutputChunk[]): Map<string, number[]> {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const usersByModule = new Map<string, number[]>();
  for (const [user, files] of loadedTogether.entries()) {
    const entries = new Set(files.flatMap((file) => [join(root, "src", file), `\0entry:${file}`]));
    const isEntry = ({ facadeModuleId, moduleIds }: OutputChunk): boolean =>
      [facadeModuleId ?? "", ...moduleIds].some((id) => entries.has(id));
    const reached = new Set(chunks.filter(isEntry));
    for (const { imports } of reached) {
      // An import that is not a chunk is a module of Node.
      for (const chunk of imports.map((file) => byFile.get(file))) if (chunk !== undefined) reached.add(chunk);
    }
    // A module that only re-exports is best in the file that needs it.
    const withCode = [...reached].filter(({ code, moduleIds }) => code !== "" && !moduleIds.some(isEntryModule));
    const ids = withCode.flatMap(({ moduleIds }) => moduleIds);
    for (const id of ids) usersByModule.set(id, [...(usersByModule.get(id) ?? []), user]);
  }
  return usersByModule;
}

function isEntryModule(id: string): boolean {
  return id.startsWith("\0entry:");
}
