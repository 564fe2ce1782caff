import { createReadStream } from "node:fs";
import { type JsonSchema, parseArguments } from "../schema/index.ts";
import { type Parameter, otherTypesOf, parametersOf } from "./parameters-of.ts";
import { shellPair } from "./invocation.ts";
import { UsageError } from "./usage-error.ts";

/** The arguments of a call as a person gave them. */
export interface GivenArguments {
  readonly args: Readonly<Record<string, unknown>>;
  /** The keys that were typed as `key=value`. */
  readonly typed: ReadonlySet<string>;
}

/** What {@link readArguments} reads. */
export interface ArgumentSources {
  /** `key=value`, each. */
  readonly pairs: readonly string[];
  /** The value of the option that takes them as JSON. */
  readonly text: string | undefined;
  /** The name of that option. */
  readonly option: string;
  /** Says how values are read. */
  readonly schema: JsonSchema;
}

/** Reads an option such as `--args` and the `key=value` words; a key that is in both has the value of its word. */
export async function readArguments(sources: ArgumentSources): Promise<GivenArguments> {
  const { pairs, text, option, schema: json } = sources;
  const given = text === undefined ? {} : checked(await readText(text, option), `${option}: `);
  const parameters = parametersOf(json);
  const typed = new Map<string, unknown>();
  for (const word of pairs) {
    const at = word.indexOf("=");
    if (at < 1) throw notPair(word, { parameters, taken: new Set([...typed.keys(), ...Object.keys(given)]) });
    const key = word.slice(0, at);
    if (typed.has(key))
      throw new UsageError(`${key} is given twice`, `for several values write a list: ${key}='["a", "b"]'`);
    typed.set(key, readValue(word.slice(at + 1), typesFor(key, parameters, json)));
  }
  // Written out and read again: words pass the same checks of size, depth and keys as the option.
  const merged = checked(JSON.stringify(Object.fromEntries([...Object.entries(given), ...typed])), "");
  return { args: merged, typed: new Set(typed.keys()) };
}

function checked(text: string, where: string): Record<string, unknown> {
  const result = parseArguments(text);
  if (result.issues === undefined) return result.value;
  throw new UsageError(`${where}${result.issues.map(({ message }) => message).join("; ")}`);
}

/** The value of an option that takes JSON; `@FILE` reads a file, `-` stdin. */
export async function readJson(text: string, option: string): Promise<unknown> {
  const json = await readText(text, option);
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw new UsageError(`${option}: this is no JSON`, `text needs quotes of its own: ${option} '"like this"'`);
  }
}

async function readText(text: string, option: string): Promise<string> {
  if (text === "-") return await readStart(process.stdin);
  if (!text.startsWith("@")) return text;
  try {
    return await readStart(createReadStream(text.slice(1)));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new UsageError(`${option}: the file ${JSON.stringify(text.slice(1))} cannot be read (${code})`);
  }
}

/** What comes on stdin, up to its end, or to more than a question or an argument may have. */
export function readStdin(): Promise<Buffer> {
  return readBytes(process.stdin);
}

/** More is refused by the check of the arguments; there is no need to hold more of it. */
const mostBytes = 2 * 1024 * 1024;

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
    if (size > mostBytes) break;
  }
  return Buffer.concat(chunks);
}

function typesFor(key: string, parameters: readonly Parameter[], json: JsonSchema): ReadonlySet<string> {
  return parameters.find(({ name }) => name === key)?.types ?? otherTypesOf(json) ?? onlyText;
}

const onlyText: ReadonlySet<string> = new Set(["string"]);

/** JSON where the parameter takes something other than text and the value is JSON, else text. */
function readValue(text: string, types: ReadonlySet<string>): unknown {
  if (types.size === 1 && types.has("string")) return text;
  try {
    const value: unknown = JSON.parse(text);
    // A number that JSON cannot hold would silently become another one.
    return typeof value === "number" && /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? text : value;
  } catch {
    return text;
  }
}

function notPair(word: string, known: { parameters: readonly Parameter[]; taken: ReadonlySet<string> }): UsageError {
  const shown = JSON.stringify(word);
  if (word.startsWith("=")) return new UsageError(`${shown} names no parameter; arguments are written key=value`);
  const free = known.parameters.filter(({ name }) => !known.taken.has(name));
  const likely = free.find(({ required }) => required) ?? (free.length === 1 ? free[0] : undefined);
  const hints = likely === undefined ? [] : [`did you mean ${shellPair(likely.name, word)}?`];
  return new UsageError(`${shown} is no argument; arguments are written key=value`, ...hints);
}
