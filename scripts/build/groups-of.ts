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
  ["cli/start-program.ts"],
  ["cli/commands/validate/run.ts", "cli/commands/validate/check-tools.ts", "builtin/builtin-tools.ts"],
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

/**
 * One file for all modules that the same entries and commands load: finding and reading hundreds of files takes time.
 * What an import executes is in other files than what only functions need. The modules that a group of modules uses
 * while it is executed are in the group itself, or in a group with more users; so no two files wait for each other.
 */
export function groupsOf(
  chunks: readonly OutputChunk[],
  imports: ReadonlyMap<string, TracedImport>,
): CodeSplittingGroup[] {
  const executed = new Set([...imports.values()].flatMap((traced) => [...traced.executed]));
  // The first group that a module belongs to gets it.
  const groups = new Map([["core", new Set<string>()]]);
  for (const [id, users] of usersOf(chunks)) {
    const name = imports.get("index")?.executed.has(id) === true ? "core" : nameOf(users, executed.has(id));
    groups.set(name, (groups.get(name) ?? new Set()).add(id));
  }
  const belongs = (name: string, ids: ReadonlySet<string>, id: string): boolean =>
    ids.has(id) || (name === "core" && id.startsWith(asItIs));
  return [...groups].map(([name, ids]) => ({ name, test: (id) => belongs(name, ids, id) }));
}

function nameOf(users: readonly number[], isExecuted: boolean): string {
  const major = users.filter((user) => user !== loadedTogether.length - 1);
  // Nearly everything uses the modules of the main entry, so these are not divided by their users.
  const name = users.includes(0) ? ["main"] : ["shared", ...(major.length > 0 ? major : users)];
  return [...name, ...(isExecuted ? ["import"] : [])].join("-");
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
