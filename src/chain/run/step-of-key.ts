/*
 * What a key of the journal says besides the id of a step: `[` its item, `~` round, `!` fallback, `#` attempt, `^` that
 * it is undone, `?` a question, `@` a pause. None of these can stand in an id, whatever its script; what begins with one
 * of them, such as `!timeout`, is about a whole chain.
 */
const behindId = /[[~!#^?@].*$/s;
const behindItem = /[~!#^?@].*$/s;

/**
 * The path of the step that a key of the journal belongs to: `research[0]/search` of `research[0]#1/search~2#1`. Keys
 * go down through sub-chains, and say item, round, fallback and attempt; paths say only the item.
 */
export function stepOfKey(key: string): string {
  const parts = key.split("/");
  const last = (parts.pop() ?? "").replace(behindId, "");
  return [...parts.map((part) => part.replace(behindItem, "")), last].join("/");
}

/** The step of the outermost chain that a key belongs to; empty for what concerns the whole run. */
export function outermostStep(key: string): string {
  const end = key.indexOf("/");
  return (end < 0 ? key : key.slice(0, end)).replace(behindId, "");
}

/** Which of its calls a step makes: the one of its tool, of what stands in for it (from 1), or what undoes it. */
export interface KeyedCall {
  readonly id: string;
  readonly call: "tool" | "undo" | number;
}

/** Takes out of a part of a key, `fetch[12]~3!2#4`, what changes with items, rounds and attempts: `fetch!2`. */
export function sameInEveryRun(part: string): string {
  return part.replaceAll(/\[\d+\]|[~#]\d+/g, "");
}

/** The call that a part of a key is about. */
export function callOfKey(part: string): KeyedCall {
  const id = part.replace(behindId, "");
  const standIn = /!(\d+)/.exec(part)?.[1];
  if (standIn !== undefined) return { id, call: Number(standIn) };
  return { id, call: part.includes("^") ? "undo" : "tool" };
}

/** Is this the key of a call that undoes a step, or of a question about that? */
export function isUndoKey(key: string): boolean {
  return key.includes("^", key.lastIndexOf("/") + 1);
}
