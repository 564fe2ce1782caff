/**
 * The path of the step that a key of the journal belongs to: `research[0]/search` of `research[0]#1/search~2#1`. Keys
 * go down through sub-chains, and say item, round, fallback and attempt; paths say only the item.
 */
export function stepOfKey(key: string): string {
  const parts = key.split("/");
  const last = (parts.pop() ?? "").replace(/[[~!#^?@].*$/, "");
  return [...parts.map((part) => part.replace(/[~!#^?@].*$/, "")), last].join("/");
}
