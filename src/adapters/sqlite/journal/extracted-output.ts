import { isRecord, ownValue } from "../../../schema/index.ts";
import { isLargePayload } from "../../../store/index.ts";

/** The JSON of an event's data, and the path of its call's output. */
export interface ExtractedOutput {
  /** Without the output if that is `large`. */
  readonly data: string | null;
  /** The keys that lead to the output, joined by dots; null if there is none. */
  readonly outputPath: string | null;
  /** Stored separately because of its size: the output, or all data if it contains no output. */
  readonly large: string | null;
}

/** Maximum depth at which an output is searched in the data. */
const maxDepth = 3;
const plainKey = /^[A-Za-z_]\w*$/;

/** Extracts an output from data if it is large, and returns its path. Throws on values that JSON cannot express. */
export function extractOutput(data: unknown, output: unknown): ExtractedOutput {
  // JSON.stringify returns undefined for undefined, contrary to its type.
  const whole = (JSON.stringify(data) as string | undefined) ?? null;
  const outputAt = output === undefined ? undefined : findValue(data, output, 0);
  if (whole === null || !isLargePayload(whole)) return { data: whole, outputPath: outputAt ?? null, large: null };
  const large = outputAt === undefined ? undefined : JSON.stringify(output);
  if (outputAt === undefined || large === undefined || !isLargePayload(large)) {
    return { data: null, outputPath: null, large: whole };
  }
  return { data: JSON.stringify(replaced(data, outputAt.split("."), null)), outputPath: outputAt, large };
}

/** Restores the original data. */
export function restoreOutput({ data, outputPath, large }: ExtractedOutput): unknown {
  const value: unknown = data === null ? undefined : JSON.parse(data);
  if (large === null) return value;
  const put: unknown = JSON.parse(large);
  return outputPath === null ? put : replaced(value, outputPath.split("."), put);
}

/** The JSON of the output; null if the data does not contain it. */
export function readOutput({ data, outputPath }: ExtractedOutput): string | null {
  if (data === null || outputPath === null) return null;
  const value = outputPath.split(".").reduce<unknown>((inner, key) => ownValue(inner, key), JSON.parse(data));
  return value === undefined ? null : JSON.stringify(value);
}

/** The path to a value by its identity; an equal string or number serializes the same and is as good. */
function findValue(data: unknown, requested: unknown, depth: number): string | undefined {
  if (!isRecord(data) || depth === maxDepth) return undefined;
  const keys = Object.keys(data);
  const found = keys.find((key) => data[key] === requested && plainKey.test(key));
  if (found !== undefined) return found;
  for (const key of keys) {
    const rest = isRecord(data[key]) && plainKey.test(key) ? findValue(data[key], requested, depth + 1) : undefined;
    if (rest !== undefined) return `${key}.${rest}`;
  }
  return undefined;
}

/** A copy with another value at this path. */
function replaced(data: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  return isRecord(data) ? { ...data, [key]: replaced(data[key], rest, value) } : data;
}
