/** What people say to each other, and not about anything. */
const polite =
  "thank thanks thx ty ok okay yes yeah yep no nope sure great good nice cool fine perfect excellent awesome wonderful " +
  "hello hi hey bye goodbye cheers sorry hmm helpful useful clear understood right alright wow lol " +
  "谢谢 多谢 感谢 谢 好 好的 好吧 好啊 嗯 哦 行 可以 明白 明白了 知道了 了解 懂了 懂 你好 您好 再见 拜拜 辛苦 辛苦了 不用 不客气 没事 太好了 很好 " +
  "不错 收到 对 对的 是的 没问题 有用 有帮助";
/** What goes with it. */
const filler =
  "a all and again am are bit everyone everybody for got i is it it's indeed lot makes me much my now of really sense so " +
  "that that's the then there this to too very was well you your morning evening day " +
  "了 啊 呢 吧 呀 啦 的 你 您 我 大家 非常 很 太 真 是 都 不 就 这样 那 那就 先 这 早上 晚上";

const politeWords: ReadonlySet<string> = new Set(polite.split(" "));
const fillers: ReadonlySet<string> = new Set(filler.split(" "));
const longest = 60;

let segmenter: Intl.Segmenter | undefined;

/** Is a message only polite, as "thanks" is, or without any word? There is nothing to look for in it. */
export function isSmallTalk(text: string): boolean {
  const said = text.trim().toLowerCase().replaceAll("’", "'");
  if (said.length > longest) return false;
  if (politeWords.has(said.replaceAll(/[\s\p{P}]+/gu, ""))) return true;
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  const words = [...segmenter.segment(said)].flatMap(({ segment, isWordLike }) => (isWordLike === true ? segment : []));
  if (words.length === 0) return true;
  return (
    words.some((word) => politeWords.has(word)) && words.every((word) => politeWords.has(word) || fillers.has(word))
  );
}
