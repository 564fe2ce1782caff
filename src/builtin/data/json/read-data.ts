import { dataFailure } from "../data-reasons.ts";
import { dataLimits } from "../data-limits.ts";

/** Data to work on. */
export interface ReadData {
  readonly value: unknown;
  /** An integer of the text has more digits than a number holds, and was rounded. */
  readonly inexact: boolean;
}

/**
 * The value of a parameter that is JSON text or a value already. Its size and depth are bounded, numbers are finite,
 * and no key reaches a prototype.
 */
export function readData(given: unknown, parameter: string): ReadData {
  if (typeof given !== "string") return { value: checked(given, parameter), inexact: false };
  checkLength(given, parameter);
  if (nestsDeeperThan(dataLimits.depth, given)) throw tooDeep(parameter);
  const { value, inexact } = parse(given, parameter);
  return { value: checked(value, parameter), inexact };
}

/** Refuses a text that is longer than can be worked on. */
export function checkLength(text: string, parameter: string): void {
  if (text.length <= dataLimits.jsonIn) return;
  const message = `\`${parameter}\` has ${text.length} characters, at most ${dataLimits.jsonIn} can be worked on; send less`;
  throw dataFailure("too_large", message, { parameter });
}

function parse(text: string, parameter: string): ReadData {
  let inexact = false;
  try {
    const source = text.startsWith("\ufeff") ? text.slice(1) : text;
    // Few texts hold numbers that long, and looking at each takes ten times as long as reading.
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

/** Is this an integer that was written with more digits than a number holds? */
export function isRounded(item: unknown, source: string): item is number {
  return typeof item === "number" && !Number.isSafeInteger(item) && /^-?\d+$/.test(source) && source !== String(item);
}

/** Walks without recursion: the depth is what is being checked. */
function checked(value: unknown, parameter: string): unknown {
  let nodes = 0;
  const open: { readonly item: unknown; readonly depth: number }[] = [{ item: value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { item, depth } = next;
    if (++nodes > dataLimits.nodes) {
      const message = `\`${parameter}\` holds more than ${dataLimits.nodes} values; send less`;
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
  const what = typeof item === "number" ? "a number that is too large" : `something of type ${typeof item}`;
  throw dataFailure("not_json", `\`${parameter}\` holds ${what}, which JSON cannot write`, { parameter });
}

function checkObject(item: object, parameter: string): void {
  const prototype: unknown = Object.getPrototypeOf(item);
  if (prototype !== Object.prototype && prototype !== null) {
    throw dataFailure("not_json", `\`${parameter}\` holds an object that is not plain data`, { parameter });
  }
  if (Object.hasOwn(item, "__proto__")) throw forbiddenKey(parameter);
}

/** A key that careless code would follow to a prototype. */
export function forbiddenKey(parameter: string): Error {
  return dataFailure("forbidden_key", `\`${parameter}\` has the key "__proto__", which is not allowed; leave it out`, {
    parameter,
  });
}

function tooDeep(parameter: string): Error {
  const message = `\`${parameter}\` nests more than ${dataLimits.depth} levels deep; send it flatter`;
  return dataFailure("too_deep", message, { parameter });
}

/** Looked at before parsing: building a million levels takes much longer than counting them. */
export function nestsDeeperThan(deepest: number, text: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === 0x5c) at++;
      else if (code === 0x22) inText = false;
    } else if (code === 0x22) inText = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > deepest) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return false;
}
