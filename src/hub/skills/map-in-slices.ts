/** Files open at the same time are few on some systems. */
const width = 64;

/** Works on many items with limited concurrency; returns the results in order. */
export async function mapInSlices<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += width) {
    results.push(...(await Promise.all(items.slice(at, at + width).map((item) => work(item)))));
  }
  return results;
}
