/** Known work of a step that has not ended, or did not succeed. */
export interface PartlyDone {
  /**
   * Output so far: of its last round, or a list with null for the items that were not done. Absent if nothing is known
   * to be done.
   */
  readonly output?: unknown;
  /** Explains that it is unknown whether this was done. */
  readonly doubt?: string | undefined;
}

/** Combines what is known: the last round counts, and a doubt that is cleared up is removed. */
export function joinDone(before: PartlyDone | undefined, now: PartlyDone): PartlyDone | undefined {
  const { doubt, ...done } = { ...before, ...now };
  if (doubt !== undefined) return { ...done, doubt };
  return "output" in done ? done : undefined;
}
