import { isMap } from "../../schema/index.ts";
import type { Problem } from "../../text/index.ts";
import { type ConfigFile, readConfigFile } from "./config-file.ts";
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
export function readMcpConfig(world: ExpandWorld): McpConfig {
  const read = configFiles.flatMap((name) => readConfigFile(world.dir, name) ?? []);
  const files = read.filter((file) => "parsed" in file);
  const servers: McpServer[] = [];
  const unused: UnusedServer[] = [];
  const secretValues: string[] = [];
  const taken = new Map<string, string>();
  for (const key of new Set(files.flatMap((file) => Object.keys(file.servers)))) {
    const entry = entryOf(key, files, world);
    const name = entry === undefined ? undefined : nameFor(key, entry, taken);
    if (entry === undefined || name === undefined) {
      unused.push({ name: key, why: "broken", shown: "" });
      continue;
    }
    const server = entry.server(name);
    secretValues.push(...entry.secretValues);
    if (server !== undefined && !entry.disabled) servers.push(server);
    else unused.push({ name, why: entry.disabled ? "disabled" : "broken", shown: entry.shown });
  }
  return {
    servers,
    unused,
    problems: [...read.filter((file) => "severity" in file), ...files.flatMap(({ report }) => report.problems)],
    texts: new Map(files.map(({ name, text }) => [name, text])),
    secretValues,
  };
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
