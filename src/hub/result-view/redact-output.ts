import { plainJsonSize } from "../../base/index.ts";
import { isRecord, put } from "../../schema/index.ts";
import { breathing } from "./breathing.ts";

/** Takes secrets out of a value; the same reference where there are none. */
export type Redact = (value: unknown) => unknown;

/** What is smaller is looked through at once. */
const smallChars = 100_000;
/** So many members of a list or an object are looked through at once. */
const width = 256;
/** Long lists are near the top, or they are not that long. */
const deepest = 3;

/**
 * An output without secrets. One of very many parts is looked through in slices, and promised: others have their turn in
 * between.
 */
export function redactOutput(output: unknown, redact: Redact): unknown {
  if (plainJsonSize(output, smallChars) !== Infinity) return redact(output);
  return redactDeep(output, { redact, pause: breathing() }, 0);
}

interface Work {
  readonly redact: Redact;
  readonly pause: () => Promise<void> | undefined;
}

function redactDeep(value: unknown, work: Work, depth: number): unknown {
  if (depth >= deepest || typeof value !== "object" || value === null) return work.redact(value);
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
    const pause = work.pause();
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

/** Members are looked at together with their names, which may say that they are secret. */
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
    const pause = work.pause();
    if (pause !== undefined) await pause;
  }
  if (!changed) return value;
  const copy: Record<string, unknown> = {};
  for (const slice of slices) for (const key of Object.keys(slice)) put(copy, key, slice[key]);
  return copy;
}

async function redactEach(members: Members, work: Work, depth: number): Promise<Members> {
  const safe = sliceOf({}, []);
  let changed = false;
  for (const name of Object.keys(members)) {
    const item = members[name];
    // Is the name itself secret, or what it stands for? An empty list shows it for whatever there is to look into.
    const deep = typeof item === "object" && item !== null;
    const shown = work.redact({ [name]: deep ? [] : item });
    for (const [key, value] of Object.entries(isRecord(shown) ? shown : {})) {
      safe[key] = deep && Array.isArray(value) ? await redactDeep(item, work, depth + 1) : value;
      changed ||= key !== name || safe[key] !== item;
    }
  }
  return changed ? safe : members;
}

/** Without a prototype: any name is only a name, and many of them are kept as in a map. */
function sliceOf(value: Members, keys: readonly string[]): Record<string, unknown> {
  const slice = Object.create(null) as Record<string, unknown>;
  for (const key of keys) slice[key] = value[key];
  return slice;
}
