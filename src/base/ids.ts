import { randomBytes } from "node:crypto";

/** Makes ids that are unique across processes: a random prefix drawn once, then a counter. */
export interface Ids {
  next(): string;
}

/** Ids such as `k3j9x0q2ab5z-1a`; about 60 random bits, and sortable within one process. */
export function createIds(prefix: string = randomPrefix()): Ids {
  let count = 0;
  return { next: () => `${prefix}-${(++count).toString(36)}` };
}

function randomPrefix(): string {
  return randomBytes(8).readBigUInt64BE().toString(36).padStart(13, "0").slice(-12);
}
