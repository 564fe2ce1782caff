const none: readonly never[] = [];

/** The number at an index that is known to exist. */
export function numberAt(list: ArrayLike<number>, index: number): number {
  return list[index] ?? 0;
}

/** The list at an index that is known to exist. */
export function listAt<T>(lists: readonly (readonly T[])[], index: number): readonly T[] {
  return lists[index] ?? none;
}

/** The position of each id in its row. */
export function rowPositions(rows: readonly (readonly number[])[], size: number): number[] {
  const position = Array.from({ length: size }, () => 0);
  for (const row of rows) for (const [index, id] of row.entries()) position[id] = index;
  return position;
}
