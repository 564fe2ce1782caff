import { createReadStream } from "node:fs";
import { type JsonSchema, isOfType, parseArguments } from "../../../schema/index.ts";
import { type Parameter, otherTypesOf, parametersOf } from "../tools/tool-parameters.ts";
import { shellPair } from "../../program/invocation.ts";
import { UsageError } from "../../program/usage-error.ts";
import { systemErrorCode } from "../../../base/index.ts";

/** Arguments of a call, from the command line. */
export interface CliArguments {
  readonly args: Readonly<Record<string, unknown>>;
  /** The JSON form of values that were written as plain text and cannot be, by key. */
  readonly forms?: ReadonlyMap<string, string>;
}

/**
 * Reads the `key=value` words and an option such as `--args` with its text; a word overrides the same key of the option.
 * The schema decides how values are parsed.
 */
export async function readArguments(
  pairs: readonly string[],
  option: string,
  text: string | undefined,
  json: JsonSchema,
): Promise<CliArguments> {
  const input = text === undefined ? {} : checked(await readText(text, option), `${option}: `);
  const parameters = parametersOf(json);
  const typed = new Map<string, unknown>();
  const forms = new Map<string, string>();
  for (const [index, word] of pairs.entries()) {
    const at = word.indexOf("=");
    if (at < 1) throw notPair(pairs, index, { parameters, taken: new Set([...typed.keys(), ...Object.keys(input)]) });
    const key = word.slice(0, at);
    if (typed.has(key))
      throw new UsageError(`${key} is passed twice`, `to pass several values, write a list: ${key}='["a", "b"]'`);
    const types = parameters.find(({ name }) => name === key)?.types ?? otherTypesOf(json) ?? onlyText;
    const value = readValue(word.slice(at + 1), types);
    typed.set(key, value);
    const form = howToWrite(key, value, types);
    if (form !== undefined) forms.set(key, form);
  }
  // Serialized and parsed again, so that words pass the same checks of size, depth and keys as the option.
  const merged = checked(JSON.stringify(Object.fromEntries([...Object.entries(input), ...typed])), "");
  return { args: merged, forms };
}

function checked(text: string, where: string): Record<string, unknown> {
  const result = parseArguments(text);
  if (result.issues === undefined) return result.value;
  throw new UsageError(`${where}${result.issues.map(({ message }) => message).join("; ")}`);
}

/** Parses the value of an option that takes JSON; `@FILE` reads a file, `-` reads stdin. */
export async function readJsonOption(text: string, option: string): Promise<unknown> {
  const json = await readText(text, option);
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw new UsageError(`${option}: invalid JSON`, `quote strings: ${option} '"like this"'`);
  }
}

async function readText(text: string, option: string): Promise<string> {
  if (text === "-") return await readStart(process.stdin);
  if (!text.startsWith("@")) return text;
  try {
    return await readStart(createReadStream(text.slice(1)));
  } catch (error) {
    const code = systemErrorCode(error) ?? String(error);
    throw new UsageError(`${option}: cannot read file ${JSON.stringify(text.slice(1))} (${code})`);
  }
}

/** Reads stdin to its end, or until it exceeds the maximum size of a prompt or of arguments. */
export function readStdin(): Promise<Buffer> {
  return readBytes(process.stdin);
}

/** Argument validation rejects more, so there is no need to read on. */
const maxBytes = 2 * 1024 * 1024;

async function readStart(stream: NodeJS.ReadableStream): Promise<string> {
  return (await readBytes(stream)).toString("utf8");
}

async function readBytes(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(chunks);
}

const onlyText: ReadonlySet<string> = new Set(["string"]);

/**
 * Parses the value as JSON if it is valid JSON of a type that the parameter takes, or if the parameter takes no string;
 * otherwise it is a string.
 */
function readValue(text: string, types: ReadonlySet<string>): unknown {
  if (types.size === 1 && types.has("string")) return text;
  try {
    const value: unknown = JSON.parse(text);
    if (types.has("string") && ![...types].some((type) => isOfType(value, type))) return text;
    // An integer that a JSON number cannot represent exactly stays a string, rather than silently changing its value.
    return typeof value === "number" && /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? text : value;
  } catch {
    return text;
  }
}

/** Shows how a list or an object is written, if the value is neither and the parameter takes nothing else. */
function howToWrite(key: string, value: unknown, types: ReadonlySet<string>): string | undefined {
  if (types.size === 0 || [...types].some((type) => type !== "array" && type !== "object" && type !== "null"))
    return undefined;
  if (typeof value === "object") return undefined;
  if (!types.has("array")) return `write an object as JSON: ${shellPair(key, '{"name": "value"}')}`;
  return `write a list as JSON: ${shellPair(key, JSON.stringify(itemsOf(value)))}`;
}

/** The items of a list that was written as plain text: `apple, pear` or `[apple, pear]`. */
function itemsOf(value: unknown): readonly unknown[] {
  if (typeof value !== "string") return [value];
  const [, inner = value] = /^\s*\[(.*)\]\s*$/s.exec(value) ?? [];
  return inner.split(",").map((item) => item.trim().replace(/^(["'])(.*)\1$/s, "$2"));
}

function notPair(
  pairs: readonly string[],
  index: number,
  known: { readonly parameters: readonly Parameter[]; readonly taken: ReadonlySet<string> },
): UsageError {
  const word = pairs[index] ?? "";
  const shown = JSON.stringify(word);
  const spaced = spacedPair(pairs, index);
  if (spaced !== undefined)
    return new UsageError(`${shown} is not an argument; write arguments as key=value`, `without spaces: ${spaced}`);
  if (word.startsWith("=")) return new UsageError(`${shown} has no parameter name; write arguments as key=value`);
  const free = known.parameters.filter(({ name }) => !known.taken.has(name));
  const likely = free.find(({ required }) => required) ?? (free.length === 1 ? free[0] : undefined);
  const hints = likely === undefined ? [] : [`did you mean ${shellPair(likely.name, word)}?`];
  return new UsageError(`${shown} is not an argument; write arguments as key=value`, ...hints);
}

/** The pair around a word of `name = Ada`, `name= Ada` or `name =Ada`. */
function spacedPair(pairs: readonly string[], index: number): string | undefined {
  const [before = "", word = "", next = "", last = ""] = [pairs[index - 1], ...pairs.slice(index, index + 3)];
  if (/^[^=]+=$/.test(before) && word !== "") return shellPair(before.slice(0, -1), word);
  if (!next.startsWith("=") || word === "") return undefined;
  return shellPair(word, next === "=" ? last : next.slice(1));
}
