import { parseJson } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import type { ModelCall } from "../port/model.ts";
import type { RawToolCall } from "../port/model-family.ts";

/** The begin of a tool call in a text. */
export const textCallMarker = "<tool_call>";

/** More calls in one text are text. */
const maxCalls = 50;
const block = /\s*<tool_call>\s*([\s\S]*?)\s*(?:<\/tool_call>\s*|$)/y;

type OfferedDefinitions = NonNullable<ModelCall["tools"]>;

/**
 * Parses the tool calls that a model wrote as text, as Qwen, GLM and Hermes models do if their server does not parse
 * them. Undefined if the text contains anything else, or a tool that was not offered.
 */
export function parseTextCalls(text: string, tools: OfferedDefinitions): readonly RawToolCall[] | undefined {
  const calls: RawToolCall[] = [];
  block.lastIndex = 0;
  for (let at = 0; at < text.length; at = block.lastIndex) {
    block.lastIndex = at;
    const call = parseCall(block.exec(text)?.[1] ?? "", tools);
    if (call === undefined || calls.push(call) > maxCalls) return undefined;
  }
  return calls.length === 0 ? undefined : calls;
}

/** True if a text ends with calls of these tools, as {@link parseTextCalls} reads them, on lines of their own. */
export function endsWithTextCall(text: string, tools: OfferedDefinitions): boolean {
  const at = text.indexOf(textCallMarker);
  return at >= 0 && isOnNewLine(text.slice(0, at)) && parseTextCalls(text.slice(at), tools) !== undefined;
}

/** True if the text that follows this one begins a line: a call within a sentence is an example. */
export function isOnNewLine(before: string): boolean {
  return /(?:^|\n)[ \t]*$/.test(before);
}

function parseCall(body: string, tools: OfferedDefinitions): RawToolCall | undefined {
  const parsed = body.startsWith("{") ? fromJson(body) : (fromFunction(body) ?? fromKeys(body));
  if (parsed === undefined) return undefined;
  const tool = tools.find(({ name }) => name === parsed.name);
  if (tool === undefined) return undefined;
  const input = "input" in parsed ? parsed.input : JSON.stringify(toArguments(parsed.pairs, tool));
  return { id: "", name: parsed.name, input };
}

/** A call whose values are texts; the schema of its tool determines their types. */
interface TextPairs {
  readonly name: string;
  readonly pairs: readonly (readonly [key: string, value: string])[];
}

/** Hermes: `{"name": "search", "arguments": {"query": "tides"}}`. */
function fromJson(body: string): Pick<RawToolCall, "name" | "input"> | undefined {
  const value = parseJson(body);
  if (!isRecord(value) || typeof value["name"] !== "string") return undefined;
  const args = value["arguments"] ?? value["parameters"] ?? {};
  return { name: value["name"], input: typeof args === "string" ? args : JSON.stringify(args) };
}

/** Qwen Coder: `<function=search><parameter=query>tides</parameter></function>`. */
function fromFunction(body: string): TextPairs | undefined {
  const [, name, inner = ""] = /^<function=([^>\n]+)>([\s\S]*)<\/function>$/.exec(body) ?? [];
  if (name === undefined) return undefined;
  const pairs = [...inner.matchAll(/<parameter=([^>\n]+)>\n?([\s\S]*?)\n?<\/parameter>/g)];
  return { name: name.trim(), pairs: pairs.map(([, key = "", value = ""]) => [key.trim(), value]) };
}

/** GLM: `search<arg_key>query</arg_key><arg_value>tides</arg_value>`. */
function fromKeys(body: string): TextPairs | undefined {
  const [, name, inner = ""] = /^([\w.-]+)\s*((?:<arg_key>[\s\S]*)?)$/.exec(body) ?? [];
  if (name === undefined) return undefined;
  const pairs = [...inner.matchAll(/<arg_key>([\s\S]*?)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g)];
  return { name, pairs: pairs.map(([, key = "", value = ""]) => [key.trim(), value]) };
}

function toArguments(pairs: TextPairs["pairs"], tool: OfferedDefinitions[number]): Record<string, unknown> {
  const { properties = {} } = tool.type === "function" ? tool.inputSchema : {};
  return Object.fromEntries(
    pairs.map(([key, value]) => {
      const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return [key, isRecord(schema) && schema["type"] === "string" ? value : parseJson(value, value)];
    }),
  );
}
