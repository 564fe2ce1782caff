const yes: ReadonlySet<string> = new Set(["y", "yes", "是", "是的", "好", "好的", "可以", "同意", "批准"]);
const no: ReadonlySet<string> = new Set(["n", "no", "不", "不是", "不好", "不行", "不要", "不可以", "否", "拒绝"]);

/** Parses an answer as yes or no; undefined for neither. Accepts full-width letters, as input methods produce them. */
export function parseYesNo(answer: string): boolean | undefined {
  const word = answer.normalize("NFKC").trim().toLowerCase();
  if (yes.has(word)) return true;
  return no.has(word) ? false : undefined;
}
