import { isLarge } from "../../store/index.ts";

/** The JSON of an event's data, and where the output of its call is. */
export interface PlacedOutput {
  /** Without the output where that is `large`. */
  readonly data: string | null;
  /** The keys that lead to the output, joined by dots; null where there is none. */
  readonly outputAt: string | null;
  /** What is kept apart for its size: the output, or all data where nothing says where the output is. */
  readonly large: string | null;
}

/** How deep in the data an output is looked for. */
const deepest = 3;
const plainKey = /^[A-Za-z_]\w*$/;

/** Takes an output out of data, if it is large, and says where it was. Throws on what JSON cannot express. */
export function placeOutput(data: unknown, output: unknown): PlacedOutput {
  // Undefined for undefined, whatever the types say.
  const whole = (JSON.stringify(data) as string | undefined) ?? null;
  const outputAt = output === undefined ? undefined : findValue(data, output, 0);
  if (whole === null || !isLarge(whole)) return { data: whole, outputAt: outputAt ?? null, large: null };
  const large = outputAt === undefined ? undefined : JSON.stringify(output);
  if (outputAt === undefined || large === undefined || !isLarge(large)) {
    return { data: null, outputAt: null, large: whole };
  }
  return { data: JSON.stringify(replaced(data, outputAt.split("."), null)), outputAt, large };
}

/** The data as it was. */
export function putOutput({ data, outputAt, large }: PlacedOutput): unknown {
  const value: unknown = data === null ? undefined : JSON.parse(data);
  if (large === null) return value;
  const put: unknown = JSON.parse(large);
  return outputAt === null ? put : replaced(value, outputAt.split("."), put);
}

/** The JSON of the output; null where the data does not hold it. */
export function readOutput({ data, outputAt }: PlacedOutput): string | null {
  if (data === null || outputAt === null) return null;
  const value = outputAt.split(".").reduce<unknown>((inner, key) => fieldOf(inner, key), JSON.parse(data));
  return value === undefined ? null : JSON.stringify(value);
}

/** The way to a value by its identity; a text or a number that equals it prints the same and is as good. */
function findValue(data: unknown, wanted: unknown, depth: number): string | undefined {
  if (!isObject(data) || depth === deepest) return undefined;
  const keys = Object.keys(data);
  const found = keys.find((key) => data[key] === wanted && plainKey.test(key));
  if (found !== undefined) return found;
  for (const key of keys) {
    const rest = isObject(data[key]) && plainKey.test(key) ? findValue(data[key], wanted, depth + 1) : undefined;
    if (rest !== undefined) return `${key}.${rest}`;
  }
  return undefined;
}

/** A copy with another value at this place. */
function replaced(data: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  return isObject(data) ? { ...data, [key]: replaced(data[key], rest, value) } : data;
}

function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
