import { dataFailure } from "../data-reasons.ts";
import { dataLimits } from "../data-limits.ts";

/** Data to work on. */
export interface ReadData {
  readonly value: unknown;
  /** True if an integer of the text has more digits than a number can represent, and was rounded. */
  readonly inexact: boolean;
}

/**
 * Returns the value of a parameter that is JSON text or already a value. Its size and depth are bounded, numbers are
 * finite, and no key reaches a prototype.
 */
export function readData(input: unknown, parameter: string): ReadData {
  if (typeof input !== "string") return { value: checked(input, parameter), inexact: false };
  checkLength(input, parameter);
  if (nestsDeeperThan(dataLimits.depth, input)) throw tooDeep(parameter);
  const { value, inexact } = parse(input, parameter);
  return { value: checked(value, parameter), inexact };
}

/** Refuses a text that is too long. */
export function checkLength(text: string, parameter: string): void {
  if (text.length <= dataLimits.jsonIn) return;
  const message = `\`${parameter}\` has ${text.length} characters, at most ${dataLimits.jsonIn} are allowed; send less`;
  throw dataFailure("too_large", message, { parameter });
}

function parse(text: string, parameter: string): ReadData {
  let inexact = false;
  try {
    const source = text.startsWith("\ufeff") ? text.slice(1) : text;
    // Few texts contain such long numbers, and inspecting each takes ten times as long as parsing.
    if (!/\d{16}/.test(source)) return { value: JSON.parse(source), inexact };
    const value: unknown = JSON.parse(source, (_key, item: unknown, written?: { readonly source?: string }) => {
      inexact ||= isRounded(item, written?.source ?? "");
      return item;
    });
    return { value, inexact };
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 160) : String(error);
    throw dataFailure("not_json", `\`${parameter}\` is a text but not JSON: ${why}`, { parameter, cause: error });
  }
}

/** True for an integer that was written with more digits than a number can represent. */
export function isRounded(item: unknown, source: string): item is number {
  return typeof item === "number" && !Number.isSafeInteger(item) && /^-?\d+$/.test(source) && source !== String(item);
}

/** Checks a value without recursion, since the depth is what is being checked. */
function checked(value: unknown, parameter: string): unknown {
  let nodes = 0;
  const open: { readonly item: unknown; readonly depth: number }[] = [{ item: value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { item, depth } = next;
    if (++nodes > dataLimits.nodes) {
      const message = `\`${parameter}\` contains more than ${dataLimits.nodes} values; send less`;
      throw dataFailure("too_large", message, { parameter });
    }
    if (typeof item !== "object" || item === null) {
      checkScalar(item, parameter);
      continue;
    }
    if (depth >= dataLimits.depth) throw tooDeep(parameter);
    if (!Array.isArray(item)) checkObject(item, parameter);
    for (const inner of Object.values(item)) open.push({ item: inner, depth: depth + 1 });
  }
  return value;
}

function checkScalar(item: unknown, parameter: string): void {
  if (item === null || typeof item === "string" || typeof item === "boolean") return;
  if (typeof item === "number" && Number.isFinite(item)) return;
  const kind = typeof item === "number" ? "a number that is too large" : `a value of type ${typeof item}`;
  throw dataFailure("not_json", `\`${parameter}\` contains ${kind}, which JSON cannot represent`, { parameter });
}

function checkObject(item: object, parameter: string): void {
  const prototype: unknown = Object.getPrototypeOf(item);
  if (prototype !== Object.prototype && prototype !== null) {
    throw dataFailure("not_json", `\`${parameter}\` contains an object that is not plain data`, { parameter });
  }
  if (Object.hasOwn(item, "__proto__")) throw forbiddenKey(parameter);
}

/** Failure for a key that careless code would follow to a prototype. */
export function forbiddenKey(parameter: string): Error {
  return dataFailure("forbidden_key", `\`${parameter}\` has the key "__proto__", which is not allowed; leave it out`, {
    parameter,
  });
}

function tooDeep(parameter: string): Error {
  const message = `\`${parameter}\` is nested more than ${dataLimits.depth} levels deep; send it flatter`;
  return dataFailure("too_deep", message, { parameter });
}

/**
 * True if the JSON is nested too deep. Checked before parsing: building a million levels takes much longer than
 * counting them.
 */
export function nestsDeeperThan(maxDepth: number, text: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === 0x5c) at++;
      else if (code === 0x22) inText = false;
    } else if (code === 0x22) inText = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > maxDepth) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return false;
}
