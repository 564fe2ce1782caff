const none: readonly never[] = [];

/** The number at a place that is known to hold one. */
export function numberAt(list: ArrayLike<number>, index: number): number {
  return list[index] ?? 0;
}

/** The list at a place that is known to hold one. */
export function listAt<T>(lists: readonly (readonly T[])[], index: number): readonly T[] {
  return lists[index] ?? none;
}

/** The place of each id in its row. */
export function placesOf(rows: readonly (readonly number[])[], size: number): number[] {
  const place = Array.from({ length: size }, () => 0);
  for (const row of rows) for (const [index, id] of row.entries()) place[id] = index;
  return place;
}
