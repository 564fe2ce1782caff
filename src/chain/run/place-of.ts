import type { Item } from "./step-view.ts";

/** Where inside the step: item, round, fallback. */
export function placeOf(item: Item | undefined, round: number, fallback: number): string {
  if (item === undefined && round === 0 && fallback < 0) return "";
  const at = `${item === undefined ? "" : `[${item.index}]`}${round === 0 ? "" : `~${round}`}`;
  return fallback < 0 ? at : `${at}!${fallback + 1}`;
}
