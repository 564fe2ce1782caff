/** At the end of a word, where `destruction` and `destructible` differ from `destructive`. */
const endLength = 3;

/**
 * Is a text a word that somebody mistyped: one letter missing, too many, wrong or swapped with the next, or two such in a
 * long word? What else begins alike may be a name of its own.
 */
export function isSlip(text: string, word: string): boolean {
  const typed = text.toLowerCase();
  if (typed[0] !== word[0] || Math.abs(typed.length - word.length) > 2) return false;
  if (isWithin(typed, word, 1)) return true;
  const stem = word.slice(0, -endLength);
  return word.length >= 10 && !typed.startsWith(stem) && isWithin(typed, word, 2);
}

/** Are these so many edits apart at most? Two letters that are swapped are one. */
function isWithin(a: string, b: string, edits: number): boolean {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const [left, right] = [a.slice(same), b.slice(same)];
  if (left === "" || right === "") return left.length + right.length <= edits;
  if (edits === 0) return false;
  const isSwapped = left[0] === right[1] && left[1] === right[0];
  return (
    isWithin(left.slice(1), right, edits - 1) ||
    isWithin(left, right.slice(1), edits - 1) ||
    isWithin(left.slice(1), right.slice(1), edits - 1) ||
    (isSwapped && isWithin(left.slice(2), right.slice(2), edits - 1))
  );
}
