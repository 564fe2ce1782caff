/**
 * Maps items with at most this number of operations at a time; the results are in the order of the items. A batch of
 * calls that is limited to the slots of its engine does not fill the queue, which would reject the rest of it.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  // Shared: each worker takes the next item.
  const left = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
