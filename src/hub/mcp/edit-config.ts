import { FailureError } from "../../base/index.ts";
import { hasErrors } from "../../text/index.ts";
import { type ConfigFile, parseConfigFile } from "./config-file.ts";
import type { JsoncNode } from "./parse-jsonc.ts";
import { serverNameProblem, sanitizeName } from "./mcp-names.ts";

/** An entry of `mcpServers`. */
export type ServerEntryJson =
  | { readonly command: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  | { readonly type?: "http"; readonly url: string; readonly headers?: Readonly<Record<string, string>> };

/**
 * Returns the text of `mcp.json` with one more server; comments and other content stay unchanged.
 *
 * @param text Content of the file; undefined if there is none.
 * @example
 * ```ts
 * addServer(undefined, "files", { command: "npx", args: ["-y", "@acme/files@1.2.3", "."] });
 * ```
 */
export function addServer(text: string | undefined, name: string, entry: ServerEntryJson): string {
  const problem =
    sanitizeName(name) === name ? serverNameProblem(name) : "a name consists of letters, digits, _, - and .";
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
  if (root?.type !== "object") throw invalid("mcp.json is not an object");
  return insert(text, root, ["mcpServers", { [name]: entry }]);
}

/** Returns the text of the file without a server; undefined if it has none of this name. Comments on others stay. */
export function removeServer(text: string, name: string): string | undefined {
  const file = readable(text);
  const members = nodeAt(file.parsed.root, file.path)?.children ?? [];
  const at = members.map(keyOf).findIndex((key) => key === name || sanitizeName(key) === name);
  const [member, next, before] = [members[at], members[at + 1], members[at - 1]];
  if (member === undefined) return undefined;
  const [start, end] = linesOf(text, member);
  const [head, tail] = [text.slice(0, start), text.slice(end)];
  // If it was the last one, and no comma follows it, none may follow the previous one either.
  const isLast = before !== undefined && next === undefined && commaAfter(text, member) === undefined;
  const comma = isLast ? commaAfter(text, before) : undefined;
  const headWithoutComma = comma === undefined ? head : head.slice(0, comma) + head.slice(comma + 1);
  return (next === undefined && start === member.offset ? headWithoutComma.trimEnd() : headWithoutComma) + tail;
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
  for (const step of path) node = node?.children?.find((member) => keyOf(member) === step)?.children?.[1];
  return node?.type === "object" ? node : undefined;
}

function keyOf({ children }: JsoncNode): string {
  return String(children?.[0]?.value);
}

function endOf({ offset, length }: JsoncNode): number {
  return offset + length;
}

/** Puts a member at the end of an object, indented as its others are. */
function insert(text: string, object: JsoncNode, [key, value]: readonly [key: string, value: unknown]): string {
  const { offset: start, children: members = [] } = object;
  const end = endOf(object);
  const own = lineIndent(text, start);
  const last = members.at(-1);
  const indent = last === undefined ? `${own}  ` : lineIndent(text, last.offset);
  const unit = indent.slice(own.length) || "  ";
  const written = JSON.stringify(value, null, unit).replaceAll("\n", `\n${indent}`);
  const member = `\n${indent}${JSON.stringify(key)}: ${written}`;
  if (last === undefined) return `${text.slice(0, start + 1)}${member}\n${own}${text.slice(end - 1).trimStart()}`;
  const comma = commaAfter(text, last) === undefined ? "," : "";
  const rest = text.slice(endOf(last), end - 1);
  return `${text.slice(0, endOf(last))}${comma}${rest.trimEnd()}${member}\n${own}${text.slice(end - 1)}`;
}

/** Position of the comma after a member, possibly after comments. */
function commaAfter(text: string, member: JsoncNode): number | undefined {
  // Matches all blanks and comments, so that a comma within a comment does not count.
  const blank = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
  blank.lastIndex = endOf(member);
  const at = endOf(member) + (blank.exec(text)?.[0].length ?? 0);
  return text[at] === "," ? at : undefined;
}

/** The range of a member: with its comma and, if its lines hold no other member, the whole lines. */
function linesOf(text: string, member: JsoncNode): readonly [start: number, end: number] {
  const comma = commaAfter(text, member);
  const end = comma === undefined ? endOf(member) : comma + 1;
  const line = text.lastIndexOf("\n", member.offset - 1) + 1;
  const rest = /^[ \t]*(?:\/\/[^\n]*|\/\*[^\n]*?\*\/[ \t\r]*)?(?:\r?\n|$)/.exec(text.slice(end))?.[0];
  const isAlone = rest !== undefined && line > 0 && text.slice(line, member.offset).trim() === "";
  return isAlone ? [line, end + rest.length] : [member.offset, end];
}

function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? "";
}
