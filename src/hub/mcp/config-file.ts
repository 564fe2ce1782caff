import { systemErrorCode } from "../../base/index.ts";
import { join } from "node:path";
import { FileReport, isRecord } from "../../schema/index.ts";
import { type Problem, type YamlPath, suggestHint } from "../../text/index.ts";
import { type ParsedJsonc, parseJsonc } from "./parse-jsonc.ts";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** One of the files that name servers, read. */
export interface ConfigFile {
  readonly name: string;
  readonly text: string;
  readonly parsed: ParsedJsonc;
  readonly report: FileReport;
  /** Path of the servers in the file: `["mcpServers"]`. */
  readonly path: YamlPath;
  readonly servers: Readonly<Record<string, unknown>>;
}

/** Keys under which programs store their servers. */
const containers: readonly (readonly string[])[] = [["mcpServers"], ["servers"], ["mcp", "servers"]];

/** Other keys that are known, but have no meaning here. */
const ignoredKeys: ReadonlySet<string> = new Set(["inputs", "$schema"]);

/** Reads one of the files; undefined if there is none, and a problem if it cannot be read. */
export function readConfigFile(dir: string, name: string): ConfigFile | Problem | undefined {
  const text = readConfigFileText(join(dir, name));
  if (text === undefined) return undefined;
  if (typeof text !== "string") {
    const message = `the file cannot be read: ${text.message}`;
    return { severity: "error", code: "unreadable", message, file: name, line: 1, column: 1 };
  }
  return parseConfigFile(text, name);
}

/** Parses the text of one of the files. */
export function parseConfigFile(text: string, name: string): ConfigFile {
  const parsed = parseJsonc(text, { file: name });
  const report = new FileReport(text, name, parsed);
  const path = containers.find((keys) => isRecord(valueAt(parsed.value, keys))) ?? ["mcpServers"];
  if (parsed.root !== undefined) checkTop(parsed.value, path, report);
  const servers = valueAt(parsed.value, path);
  return { name, text, parsed, report, path, servers: isRecord(servers) ? servers : {} };
}

/** The text, undefined if there is no file, or the error. */
function readConfigFileText(path: string): string | undefined | Error {
  try {
    return readConfigText(path);
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

function checkTop(value: unknown, path: YamlPath, report: FileReport): void {
  if (!isRecord(value)) return report.add("wrong_type", [], ['the file must be an object with the key "mcpServers"']);
  const [container] = path;
  if (Object.hasOwn(value, "mcpServers") && !isRecord(value["mcpServers"])) {
    report.add("wrong_type", ["mcpServers"], ['"mcpServers" must be a map from names to servers']);
  }
  for (const [key, item] of Object.entries(value)) {
    if (key === container || key === "mcpServers" || ignoredKeys.has(key)) continue;
    const looksLikeServer = isRecord(item) && ["command", "url"].some((own) => Object.hasOwn(item, own));
    const hint = looksLikeServer
      ? 'servers stand under the key "mcpServers"'
      : suggestHint(key, ["mcpServers", "servers"]);
    report.add("unknown_key", [key], [`unknown key "${key}"`, { part: "key", severity: "warning", hint }]);
  }
}

function valueAt(value: unknown, path: YamlPath): unknown {
  let found = value;
  for (const step of path) found = isRecord(found) && Object.hasOwn(found, step) ? found[step] : undefined;
  return found;
}

/** Maximum size of a file of servers. */
const maxBytes = 4 * 2 ** 20;

/**
 * Reads a file that names servers; undefined if there is none. Throws if it is not a regular file or too large: reading
 * a pipe could block forever.
 */
export function readConfigText(path: string): string | undefined {
  const file = open(path);
  if (file === undefined) return undefined;
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error("it is not a regular file");
    if (found.size > maxBytes) throw new Error(`it has ${found.size} bytes, ${maxBytes} are allowed`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function open(path: string): number | undefined {
  try {
    // A system without this flag has no such files either.
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
