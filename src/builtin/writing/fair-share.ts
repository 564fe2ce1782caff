/** The most that each may have so that all together have at most `total`; what short ones leave goes to long ones. */
export function fairShare(lengths: readonly number[], total: number): number {
  let left = total;
  const rising = lengths.toSorted((a, b) => a - b);
  for (const [at, length] of rising.entries()) {
    const share = Math.floor(left / (rising.length - at));
    if (length > share) return share;
    left -= length;
  }
  return Infinity;
}
