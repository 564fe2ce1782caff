const yes: ReadonlySet<string> = new Set(["y", "yes", "是", "是的", "好", "好的", "可以", "同意", "批准"]);
const no: ReadonlySet<string> = new Set(["n", "no", "不", "不是", "不好", "不行", "不要", "不可以", "否", "拒绝"]);

/** What somebody typed who was asked: yes, no, or undefined for neither. Wide letters, as input methods make them, count. */
export function yesOrNo(answer: string): boolean | undefined {
  const word = answer.normalize("NFKC").trim().toLowerCase();
  if (yes.has(word)) return true;
  return no.has(word) ? false : undefined;
}
