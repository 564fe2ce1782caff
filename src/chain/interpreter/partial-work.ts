/** What is known of the work of a step that is not over, or did not end well. */
export interface PartlyDone {
  /** What it gave so far: its last round, or a list with null for the items that were not done. Absent where nothing is known to be done. */
  readonly output?: unknown;
  /** Nobody knows whether this was done, in words. */
  readonly doubt?: string | undefined;
}

/** What is known by now: the last round counts, and a doubt that is cleared up is none. */
export function joinDone(before: PartlyDone | undefined, now: PartlyDone): PartlyDone | undefined {
  const { doubt, ...done } = { ...before, ...now };
  if (doubt !== undefined) return { ...done, doubt };
  return "output" in done ? done : undefined;
}
