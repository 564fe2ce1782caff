/** Random numbers that are the same for the same seed. */
export function seeded(seed: number): {
  next(): number;
  upTo(n: number): number;
  chance(p: number): boolean;
  pick<T>(list: readonly T[]): T;
} {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const upTo = (n: number): number => Math.floor(next() * n);
  return { next, upTo, chance: (p) => next() < p, pick: (list) => list[upTo(list.length)] as never };
}
