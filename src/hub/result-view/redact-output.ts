import { EventLoopYielder, plainJsonSize } from "../../base/index.ts";
import { isRecord, setOwn } from "../../schema/index.ts";

/** Redacts secrets in a value; returns the same reference if there are none. */
export type Redact = (value: unknown) => unknown;

/** A smaller output is redacted in one go. */
const smallChars = 100_000;
/** Number of members of a list or an object redacted in one slice. */
const width = 256;
/** Long lists are near the top, or they are not that long. */
const maxDepth = 3;

/**
 * Redacts secrets in an output. An output of very many parts is redacted in slices and returned as a promise, so that
 * it does not block the event loop.
 */
export function redactOutput(output: unknown, redact: Redact): unknown {
  if (plainJsonSize(output, smallChars) !== Infinity) return redact(output);
  return redactDeep(output, { redact, yielder: new EventLoopYielder() }, 0);
}

interface Work {
  readonly redact: Redact;
  readonly yielder: EventLoopYielder;
}

function redactDeep(value: unknown, work: Work, depth: number): unknown {
  if (depth >= maxDepth || typeof value !== "object" || value === null) return work.redact(value);
  if (Array.isArray(value)) return redactList(value, work, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null;
  return isPlain && isRecord(value) ? redactMembers(value, work, depth) : work.redact(value);
}

async function redactList(list: readonly unknown[], work: Work, depth: number): Promise<readonly unknown[]> {
  if (list.length <= width) return redactFew(list, work, depth);
  const slices: (readonly unknown[])[] = [];
  let changed = false;
  for (let at = 0; at < list.length; at += width) {
    const slice = list.slice(at, at + width);
    const safe = work.redact(slice);
    changed ||= safe !== slice;
    slices.push(Array.isArray(safe) ? safe : slice);
    const pause = work.yielder.yieldIfDue();
    if (pause !== undefined) await pause;
  }
  return changed ? slices.flat() : list;
}

async function redactFew(list: readonly unknown[], work: Work, depth: number): Promise<readonly unknown[]> {
  const safe: unknown[] = [];
  for (const item of list) safe.push(await redactDeep(item, work, depth + 1));
  return safe.some((item, at) => item !== list[at]) ? safe : list;
}

type Members = Readonly<Record<string, unknown>>;

/** Redacts members together with their names, which may mark them as secret. */
async function redactMembers(value: Members, work: Work, depth: number): Promise<Members> {
  const keys = Object.keys(value);
  const slices: Members[] = [];
  let changed = false;
  for (let at = 0; at < keys.length; at += width) {
    const slice = sliceOf(value, keys.slice(at, at + width));
    // Few members may each be large; of many each is small.
    const safe = keys.length <= width ? await redactEach(slice, work, depth) : work.redact(slice);
    changed ||= safe !== slice;
    slices.push(isRecord(safe) ? safe : slice);
    const pause = work.yielder.yieldIfDue();
    if (pause !== undefined) await pause;
  }
  if (!changed) return value;
  const copy: Record<string, unknown> = {};
  for (const slice of slices) for (const key of Object.keys(slice)) setOwn(copy, key, slice[key]);
  return copy;
}

async function redactEach(members: Members, work: Work, depth: number): Promise<Members> {
  const safe = sliceOf({}, []);
  let changed = false;
  for (const name of Object.keys(members)) {
    const item = members[name];
    // Checks whether the name itself or its value is secret. An empty list represents a nested value.
    const deep = typeof item === "object" && item !== null;
    const shown = work.redact({ [name]: deep ? [] : item });
    for (const [key, value] of Object.entries(isRecord(shown) ? shown : {})) {
      safe[key] = deep && Array.isArray(value) ? await redactDeep(item, work, depth + 1) : value;
      changed ||= key !== name || safe[key] !== item;
    }
  }
  return changed ? safe : members;
}

/** Without a prototype: any name is only a name, and many of them are stored as in a map. */
function sliceOf(value: Members, keys: readonly string[]): Record<string, unknown> {
  const slice = Object.create(null) as Record<string, unknown>;
  for (const key of keys) slice[key] = value[key];
  return slice;
}
