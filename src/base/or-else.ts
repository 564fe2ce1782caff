/** The result of the work, or `otherwise` if it throws: for errors whose reason does not matter. */
export function orElse<T, U>(work: () => T, otherwise: U): T | U {
  try {
    return work();
  } catch {
    return otherwise;
  }
}
