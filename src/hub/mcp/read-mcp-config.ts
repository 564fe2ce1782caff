import type { FailureError } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import { type Problem, hasErrors } from "../../text/index.ts";
import { type ConfigFile, parseConfigFile, readConfigFile } from "./config-file.ts";
import { configFiles, sanitizeName, serverNameProblem } from "./mcp-names.ts";
import type { ExpandDeps } from "./expand-text.ts";
import { ServerEntry } from "./server-entry.ts";
import type { McpServer, UnusedServer } from "./server-config.ts";

/** Options for reading the files. */
export interface McpConfigDeps extends ExpandDeps {
  /** Why a server is not used. It gets the server as it is written, without values. Default: all are used. */
  readonly refuses?: ((server: McpServer) => FailureError | undefined) | undefined;
}

/** MCP servers in the files of a workspace. */
export interface McpConfig {
  readonly servers: readonly McpServer[];
  readonly unused: readonly UnusedServer[];
  readonly problems: readonly Problem[];
  /** The texts of the files, by name. */
  readonly texts: ReadonlyMap<string, string>;
  /** Keys and passwords in the files themselves, to be redacted in all output. */
  readonly secretValues: readonly string[];
  /** The texts of the files when they could last be read, by name. */
  readonly lastGood: ReadonlyMap<string, string>;
}

/**
 * Reads `mcp.json` and `mcp.local.json`, in the formats of common MCP clients. Never throws and never connects: an
 * invalid entry does not affect the others.
 *
 * @example
 * ```ts
 * const { servers, problems } = readMcpConfig({ dir, env: process.env, allowedEnv: [], secrets, secretNames: [] });
 * ```
 */
export function readMcpConfig(world: McpConfigDeps, lastGood: McpConfig["lastGood"] = new Map()): McpConfig {
  const refused = refusedServers(world, lastGood);
  const read = configFiles.map((name) => readUsable(world.dir, name, lastGood.get(name)));
  const files = read.flatMap(({ used }) => used ?? []);
  const servers: McpServer[] = [];
  const unused: UnusedServer[] = [];
  const secretValues: string[] = [];
  const taken = new Map<string, string>();
  for (const key of new Set(files.flatMap((file) => Object.keys(file.servers)))) {
    const before = new Set(problemsIn(files));
    const entry = entryOf(key, files, refused.has(sanitizeName(key)) ? { ...world, withheld: true } : world);
    const name = entry === undefined ? undefined : nameFor(key, entry, taken);
    if (entry === undefined || name === undefined) {
      unused.push({ name: key, why: "broken", display: "", ...faultAfter(before, files) });
      continue;
    }
    const server = entry.server(name);
    secretValues.push(...entry.secretValues);
    const refusal = refused.get(name);
    if (server !== undefined && refusal !== undefined)
      unused.push({ name, why: "untrusted", display: entry.shown, refusal });
    else if (server !== undefined && !entry.disabled) servers.push(server);
    else if (entry.disabled) unused.push({ name, why: "disabled", display: entry.shown });
    else unused.push({ name, why: "broken", display: entry.shown, ...faultAfter(before, files) });
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

/** The servers that are refused, by name: no value of the environment may reach them. */
function refusedServers(
  { refuses, ...world }: McpConfigDeps,
  lastGood: McpConfig["lastGood"],
): ReadonlyMap<string, FailureError> {
  if (refuses === undefined) return new Map();
  const { servers } = readMcpConfig({ ...world, withheld: true }, lastGood);
  return new Map(
    servers.flatMap((server) => {
      const refusal = refuses(server);
      return refusal === undefined ? [] : [[server.name, refusal] as const];
    }),
  );
}

/** A file as it is, and as it is used. */
interface ReadFile {
  /** Undefined if there is none, or it cannot be read. */
  readonly file?: ConfigFile;
  /** The same, or its last version that was good. */
  readonly used?: ConfigFile;
  /** Problems of the current file, if an earlier version is in use. */
  readonly problems?: readonly Problem[];
}

/**
 * Reads one of the files. If it cannot be parsed, for example while it is being saved, its last good version stays in
 * use.
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
    problems: [...problems, lastGoodProblem(name)],
  };
}

function lastGoodProblem(file: string): Problem {
  const message = "until the file can be read, its previous servers stay in use";
  return { severity: "warning", code: lastGoodVersionCode, message, file, line: 1, column: 1 };
}

/** Code of the problem that servers of an earlier version of a file are in use. */
export const lastGoodVersionCode = "last_version_kept";

function problemsIn(files: readonly ConfigFile[]): readonly Problem[] {
  return files.flatMap(({ report }) => report.problems);
}

/** The first of the new problems that makes an entry unusable. */
function faultAfter(before: ReadonlySet<Problem>, files: readonly ConfigFile[]): Pick<UnusedServer, "fault"> {
  const fault = problemsIn(files).find((problem) => problem.severity === "error" && !before.has(problem));
  return fault === undefined ? {} : { fault: fault.message };
}

/** Merges the entries of one server; the later file takes precedence. */
function entryOf(key: string, files: readonly ConfigFile[], world: ExpandDeps): ServerEntry | undefined {
  const parts = files.filter(({ servers }) => Object.hasOwn(servers, key));
  const usable = parts.filter((file) => {
    const value = file.servers[key];
    if (!isRecord(value)) {
      file.report.add("wrong_type", [...file.path, key], [`"${key}" must be a map, such as { "command": … }`]);
    }
    return isRecord(value);
  });
  return usable.length < parts.length ? undefined : new ServerEntry(key, usable, world);
}

/** The name of a server in the names of its tools; undefined if it has no valid name. */
function nameFor(key: string, entry: ServerEntry, taken: Map<string, string>): string | undefined {
  const name = sanitizeName(key);
  const other = taken.get(name);
  const problem = serverNameProblem(name) ?? (other === undefined ? undefined : `"${other}" has the same name`);
  if (problem !== undefined) {
    entry.reject("bad_name", `the server ${JSON.stringify(key)}: ${problem}`, "rename it");
    return undefined;
  }
  taken.set(name, key);
  if (name !== key) {
    const message = `the server ${JSON.stringify(key)} is called "${name}" here: names of tools cannot contain other characters`;
    entry.warn("renamed", message);
  }
  return name;
}
