import { isMap } from "../../schema/index.ts";
import { type Problem, hasErrors } from "../../text/index.ts";
import { type ConfigFile, parseConfigFile, readConfigFile } from "./config-file.ts";
import { configFiles } from "./has-mcp-config.ts";
import type { ExpandWorld } from "./expand-text.ts";
import { cleanName, serverNameProblem } from "./mcp-names.ts";
import { ServerEntry } from "./server-entry.ts";
import type { McpServer, UnusedServer } from "./server-config.ts";

/** What the files of a workspace say about MCP servers. */
export interface McpConfig {
  readonly servers: readonly McpServer[];
  readonly unused: readonly UnusedServer[];
  readonly problems: readonly Problem[];
  /** The texts of the files, by name. */
  readonly texts: ReadonlyMap<string, string>;
  /** What the files themselves hold of keys and passwords: to be hidden in whatever leaves. */
  readonly secretValues: readonly string[];
  /** The texts of the files when they could last be read, by name. */
  readonly lastGood: ReadonlyMap<string, string>;
}

/**
 * Reads `mcp.json` and `mcp.local.json`, in the forms that people have from other programs. Never throws, and starts or
 * asks nobody: one bad entry leaves the others as they are.
 *
 * @example
 * ```ts
 * const { servers, problems } = readMcpConfig({ dir, env: process.env, allowedEnv: [], secrets, secretNames: [] });
 * ```
 */
export function readMcpConfig(world: ExpandWorld, lastGood: McpConfig["lastGood"] = new Map()): McpConfig {
  const read = configFiles.map((name) => readUsable(world.dir, name, lastGood.get(name)));
  const files = read.flatMap(({ used }) => used ?? []);
  const servers: McpServer[] = [];
  const unused: UnusedServer[] = [];
  const secretValues: string[] = [];
  const taken = new Map<string, string>();
  for (const key of new Set(files.flatMap((file) => Object.keys(file.servers)))) {
    const before = new Set(problemsIn(files));
    const entry = entryOf(key, files, world);
    const name = entry === undefined ? undefined : nameFor(key, entry, taken);
    if (entry === undefined || name === undefined) {
      unused.push({ name: key, why: "broken", shown: "", ...faultAfter(before, files) });
      continue;
    }
    const server = entry.server(name);
    secretValues.push(...entry.secretValues);
    if (server !== undefined && !entry.disabled) servers.push(server);
    else if (entry.disabled) unused.push({ name, why: "disabled", shown: entry.shown });
    else unused.push({ name, why: "broken", shown: entry.shown, ...faultAfter(before, files) });
  }
  return {
    servers,
    unused,
    problems: read.flatMap(({ used, problems = used?.report.problems ?? [] }) => problems),
    texts: new Map(read.flatMap(({ file }) => (file === undefined ? [] : [[file.name, file.text]]))),
    secretValues,
    lastGood: new Map(files.map(({ name, text }) => [name, text])),
  };
}

/** A file as it is, and as it is used. */
interface ReadFile {
  /** Undefined where there is none, or none that can be read. */
  readonly file?: ConfigFile;
  /** The same, or its last version that was good. */
  readonly used?: ConfigFile;
  /** What is wrong with the file, where that is not what is found in the one that is used. */
  readonly problems?: readonly Problem[];
}

/**
 * Reads one of the files. Where it names nobody because it cannot be understood, such as in the middle of being saved, its
 * last good version stays.
 */
function readUsable(dir: string, name: string, lastGood: string | undefined): ReadFile {
  const read = readConfigFile(dir, name);
  if (read === undefined) return {};
  const file = "parsed" in read ? read : undefined;
  const problems = "parsed" in read ? read.report.problems : [read];
  const isGood = file !== undefined && (Object.keys(file.servers).length > 0 || !hasErrors(problems));
  if (isGood) return { file, used: file };
  if (lastGood === undefined) return { ...(file !== undefined && { file }), problems };
  return {
    ...(file !== undefined && { file }),
    used: parseConfigFile(lastGood, name),
    problems: [...problems, keptVersion(name)],
  };
}

function keptVersion(file: string): Problem {
  const message = "until the file can be read, the servers that it named before are kept";
  return { severity: "warning", code: lastVersionKept, message, file, line: 1, column: 1 };
}

/** The code of the problem that says that servers of an earlier version of a file are used. */
export const lastVersionKept = "last_version_kept";

function problemsIn(files: readonly ConfigFile[]): readonly Problem[] {
  return files.flatMap(({ report }) => report.problems);
}

/** The first thing that makes an entry unusable, of what was found since. */
function faultAfter(before: ReadonlySet<Problem>, files: readonly ConfigFile[]): Pick<UnusedServer, "fault"> {
  const fault = problemsIn(files).find((problem) => problem.severity === "error" && !before.has(problem));
  return fault === undefined ? {} : { fault: fault.message };
}

/** What the files say about one server, the later one first. */
function entryOf(key: string, files: readonly ConfigFile[], world: ExpandWorld): ServerEntry | undefined {
  const parts = files.filter(({ servers }) => Object.hasOwn(servers, key));
  const usable = parts.filter((file) => {
    const value = file.servers[key];
    if (!isMap(value)) {
      file.report.add("wrong_type", [...file.path, key], [`"${key}" must be a map, such as { "command": … }`]);
    }
    return isMap(value);
  });
  return usable.length < parts.length ? undefined : new ServerEntry(key, usable, world);
}

/** The name of a server in those of its tools; undefined where it can have none. */
function nameFor(key: string, entry: ServerEntry, taken: Map<string, string>): string | undefined {
  const name = cleanName(key);
  const other = taken.get(name);
  const problem = serverNameProblem(name) ?? (other === undefined ? undefined : `"${other}" has the same name`);
  if (problem !== undefined) {
    entry.reject("bad_name", `the server ${JSON.stringify(key)}: ${problem}`, "rename it");
    return undefined;
  }
  taken.set(name, key);
  if (name !== key) {
    const message = `the server ${JSON.stringify(key)} is called "${name}" here: names of tools hold no other characters`;
    entry.warn("renamed", message);
  }
  return name;
}
