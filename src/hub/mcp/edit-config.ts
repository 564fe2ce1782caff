import { FailureError } from "../../base/index.ts";
import { hasErrors } from "../../text/index.ts";
import { type ConfigFile, parseConfigFile } from "./config-file.ts";
import type { JsoncMember, JsoncNode } from "./parse-jsonc.ts";
import { serverNameProblem, cleanName } from "./mcp-names.ts";

/** An entry of `mcpServers`. */
export type ServerEntryJson =
  | { readonly command: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  | { readonly type?: "http"; readonly url: string; readonly headers?: Readonly<Record<string, string>> };

/**
 * The text of `mcp.json` with one more server; comments and what else is there stay as they are.
 *
 * @param text What the file holds; undefined where there is none.
 * @example
 * ```ts
 * addServer(undefined, "files", { command: "npx", args: ["-y", "@acme/files@1.2.3", "."] });
 * ```
 */
export function addServer(text: string | undefined, name: string, entry: ServerEntryJson): string {
  const problem = cleanName(name) === name ? serverNameProblem(name) : "a name holds letters, digits, _, - and .";
  if (problem !== undefined) throw invalid(`the server ${JSON.stringify(name)} cannot have this name: ${problem}`);
  if (text === undefined || text.trim() === "") {
    return `${JSON.stringify({ mcpServers: { [name]: entry } }, null, 2)}\n`;
  }
  const file = readable(text);
  if (Object.hasOwn(file.servers, name)) {
    throw new FailureError(`mcp.json has a server "${name}" already; remove it first`, {
      code: "file_invalid",
      reason: "server_exists",
    });
  }
  const container = nodeAt(file.parsed.root, file.path);
  if (container !== undefined) return insert(text, container, [name, entry]);
  const root = file.parsed.root;
  if (root?.members === undefined) throw invalid("mcp.json is no object");
  return insert(text, root, ["mcpServers", { [name]: entry }]);
}

/** The text of the file without a server; undefined where it has none of this name. */
export function removeServer(text: string, name: string): string | undefined {
  const file = readable(text);
  const members = nodeAt(file.parsed.root, file.path)?.members ?? [];
  const at = members.findIndex(({ key }) => key === name || cleanName(key) === name);
  const [member, next, before] = [members[at], members[at + 1], members[at - 1]];
  if (member === undefined) return undefined;
  // With the comma on one of its sides, and the line it stands on.
  if (next !== undefined) return text.slice(0, member.start) + text.slice(next.start);
  if (before === undefined) return text.slice(0, member.start).trimEnd() + text.slice(endOf(text, member));
  return text.slice(0, before.node.end) + text.slice(endOf(text, member));
}

function readable(text: string): ConfigFile {
  const file = parseConfigFile(text, "mcp.json");
  const { problems } = file.report;
  if (!hasErrors(problems)) return file;
  const first = problems.find(({ severity }) => severity === "error");
  throw invalid(`mcp.json:${first?.line}:${first?.column}: ${first?.message}; correct it first`);
}

function invalid(message: string): FailureError {
  return new FailureError(message, { code: "file_invalid" });
}

function nodeAt(root: JsoncNode | undefined, path: readonly (string | number)[]): JsoncNode | undefined {
  let node = root;
  for (const step of path) node = node?.members?.findLast(({ key }) => key === step)?.node;
  return node?.members === undefined ? undefined : node;
}

/** Puts a member at the end of an object, indented as its others are. */
function insert(text: string, object: JsoncNode, [key, value]: readonly [key: string, value: unknown]): string {
  const { start, end, members = [] } = object;
  const own = lineIndent(text, start);
  const last = members.at(-1);
  const indent = last === undefined ? `${own}  ` : lineIndent(text, last.start);
  const unit = indent.slice(own.length) || "  ";
  const written = JSON.stringify(value, null, unit).replaceAll("\n", `\n${indent}`);
  const member = `\n${indent}${JSON.stringify(key)}: ${written}`;
  if (last === undefined) return `${text.slice(0, start + 1)}${member}\n${own}${text.slice(end - 1).trimStart()}`;
  const comma = hasComma(text, last) ? "" : ",";
  const rest = text.slice(last.node.end, end - 1);
  return `${text.slice(0, last.node.end)}${comma}${rest.trimEnd()}${member}\n${own}${text.slice(end - 1)}`;
}

/** Does a comma follow, after comments maybe? */
function hasComma(text: string, { node }: JsoncMember): boolean {
  return /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*,/.test(text.slice(node.end));
}

/** Where the member ends, with a comma after it. */
function endOf(text: string, { node }: JsoncMember): number {
  const comma = /^\s*,/.exec(text.slice(node.end));
  return node.end + (comma?.[0].length ?? 0);
}

function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? "";
}
