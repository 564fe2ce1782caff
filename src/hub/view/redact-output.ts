import { isRecord, put } from "../../schema/index.ts";
import { breathing } from "./breathing.ts";

/** Takes secrets out of a value; the same reference where there are none. */
export type Redact = (value: unknown) => unknown;

/** What has no secrets any more, and who took them out: nothing large is looked through twice. */
const clean = new WeakMap<object, Redact>();

/** A list or an object of more members is looked through member by member, so that others have their turn meanwhile. */
const most = 100;
/** Large lists are near the top, or they are not that large. */
const deepest = 3;

/** An output without secrets. However large it is, it holds nobody else up. */
export async function redactOutput(output: unknown, redact: Redact): Promise<unknown> {
  if (typeof output !== "object" || output === null) return redact(output);
  if (clean.get(output) === redact) return output;
  const safe = await redactDeep(output, { redact, pause: breathing() }, 0);
  if (typeof safe === "object" && safe !== null) clean.set(safe, redact);
  return safe;
}

interface Work {
  readonly redact: Redact;
  readonly pause: () => Promise<void> | undefined;
}

function redactDeep(value: unknown, work: Work, depth: number): unknown {
  if (Array.isArray(value)) return redactList(value, work, depth);
  return isRecord(value) ? redactMembers(value, work, depth) : work.redact(value);
}

async function redactList(list: readonly unknown[], work: Work, depth: number): Promise<readonly unknown[]> {
  let copy: unknown[] | undefined;
  for (let at = 0; at < list.length; at++) {
    const item = list[at];
    const safe = isLarge(item, depth) ? await redactDeep(item, work, depth + 1) : work.redact(item);
    if (safe !== item) copy ??= list.slice(0, at);
    copy?.push(safe);
    const pause = work.pause();
    if (pause !== undefined) await pause;
  }
  return copy ?? list;
}

/** A member is looked at together with its name, which may say that it is a secret. */
async function redactMembers(
  value: Readonly<Record<string, unknown>>,
  work: Work,
  depth: number,
): Promise<Readonly<Record<string, unknown>>> {
  const copy: Record<string, unknown> = {};
  let changed = false;
  for (const name of Object.keys(value)) {
    const item = value[name];
    const large = isLarge(item, depth);
    const member = { [name]: large ? [] : item };
    const safe = work.redact(member);
    changed ||= safe !== member;
    for (const [key, shown] of Object.entries(isRecord(safe) ? safe : member)) {
      const inside = large && Array.isArray(shown) ? await redactDeep(item, work, depth + 1) : shown;
      changed ||= inside !== item;
      put(copy, key, inside);
    }
    const pause = work.pause();
    if (pause !== undefined) await pause;
  }
  return changed ? copy : value;
}

function isLarge(value: unknown, depth: number): boolean {
  if (depth >= deepest || typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.length > most;
  let count = 0;
  // Counted no further than needed.
  for (const _key in value) if (++count > most) return true;
  return Object.values(value).some((item) => isLarge(item, depth + 1));
}
