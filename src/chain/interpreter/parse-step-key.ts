/*
 * Suffixes of a journal key after the id of a step: `[` its item, `~` round, `!` fallback, `#` attempt, `^` its
 * compensation, `?` an approval, `@` a delay. None of these can occur in an id, in any script. A key that begins with
 * one of them, such as `!timeout`, is about a whole chain.
 */
const afterId = /[[~!#^?@].*$/s;
const afterItem = /[~!#^?@].*$/s;

/**
 * The path of the step that a journal key belongs to: `research[0]/search` for `research[0]#1/search~2#1`. Keys descend
 * into sub-chains, and include item, round, fallback and attempt; paths include only the item.
 */
export function stepPathOfKey(key: string): string {
  const parts = key.split("/");
  const last = (parts.pop() ?? "").replace(afterId, "");
  return [...parts.map((part) => part.replace(afterItem, "")), last].join("/");
}

/** The step of the outermost chain that a key belongs to; empty if it concerns the whole run. */
export function outermostStep(key: string): string {
  const end = key.indexOf("/");
  return (end < 0 ? key : key.slice(0, end)).replace(afterId, "");
}

/** The call that a step makes: of its tool, of a fallback (from 1), or of its compensation. */
export interface KeyedCall {
  readonly id: string;
  readonly call: "tool" | "undo" | number;
}

/** Removes items, rounds and attempts from a part of a key: `fetch[12]~3!2#4` becomes `fetch!2`. */
export function stableKeyPart(part: string): string {
  return part.replaceAll(/\[\d+\]|[~#]\d+/g, "");
}

/** The call that a part of a key is about. */
export function callOfKey(part: string): KeyedCall {
  const id = part.replace(afterId, "");
  const standIn = /!(\d+)/.exec(part)?.[1];
  if (standIn !== undefined) return { id, call: Number(standIn) };
  return { id, call: part.includes("^") ? "undo" : "tool" };
}

/** True if this is the key of a call that compensates a step, or of an approval for that. */
export function isCompensationKey(key: string): boolean {
  return key.includes("^", key.lastIndexOf("/") + 1);
}
