/** Generates ids that are unique across processes: a random prefix chosen once, then a counter. */
export interface IdGenerator {
  next(): string;
}

/**
 * Ids such as `k3j9x0q2ab5z-1a`, unique but not secret: nothing may rely on their being hard to guess.
 *
 * @example
 * ```ts
 * const ids = createIdGenerator("k3j9x0q2ab5z");
 * ids.next(); // "k3j9x0q2ab5z-1"
 * ```
 */
export function createIdGenerator(prefix: string = randomPrefix(Math.random)): IdGenerator {
  let count = 0;
  // All but the last digit of the count: formatting the whole number takes longer than everything else here.
  let head = `${prefix}-`;
  return {
    next() {
      const last = ++count % digits.length;
      if (last === 0) head = `${prefix}-${(count / digits.length).toString(36)}`;
      return head + digits.charAt(last);
    },
  };
}

const digits = "0123456789abcdefghijklmnopqrstuvwxyz";

function randomPrefix(random: () => number): string {
  const part = (): string =>
    Math.floor(random() * 36 ** 6)
      .toString(36)
      .padStart(6, "0");
  return part() + part();
}
