/** One turn of a conversation. */
export interface ChatTurn {
  readonly role: string;
  readonly content: string;
}

/** Words that stand for something said before. `this` and `that` do so only as the last word. */
const pronouns: ReadonlySet<string> = new Set(
  "it its they them their theirs he him his she her hers 它 它们 他 他们 她 她们 这个 那个 这些 那些 这家 那家 此人".split(
    " ",
  ),
);
const atTheEnd: ReadonlySet<string> = new Set(["this", "that", "these", "those", "one"]);

/** Words that name nothing. */
const idle: ReadonlySet<string> = new Set(
  (
    "a an and are as at be been but by can could did do does for from get give had has have how i if in into is just " +
    "know let like look make me more most much my need new no not of on or our out please said say search find show so " +
    "some tell than thanks thank that the then there these this those to too up us use using very want was we were what " +
    "when where which who whom whose why will with would yes you your about after before between during over under " +
    "explain describe help ok okay hello hi also any all each only here now " +
    "的 了 是 在 和 与 或 吗 呢 吧 啊 我 你 您 我们 你们 请 一下 什么 怎么 怎样 如何 为什么 哪里 哪个 多少 几 有 没有 会 能 可以 要 想 " +
    "介绍 告诉 解释 说明 关于 知道 搜索 查找 帮 帮忙 谢谢 好 好的 这 那 就 都 也 还 很 最 更 一个 一种 它的 他的 她的 以及 因为 所以 但是 如果 时候 现在"
  ).split(" "),
);

const lookBack = 6;
const longestTurn = 600;
const mostWords = 4;
const mostCharacters = 10;

/**
 * The query with its pronoun replaced by what the last turns were about: "who built it" after "Tell me about the Eiffel
 * Tower" becomes "who built Eiffel Tower". Works by plain counting: runs of up to four telling words in the last six
 * turns, those of later turns, of the user and with capitals or Chinese characters before others. A query without a
 * pronoun, or with a topic of its own in quotes or capitals, stays as it is.
 */
export function refineQuery(query: string, history: readonly ChatTurn[]): string {
  const words = wordsOf(query);
  const place = words.map(withoutParticle).find(({ text, last }) => isPronoun(text, last));
  if (place === undefined || hasTopic(query)) return query;
  const topic = bestTopic(history, new Set(words.map(({ text }) => text.toLowerCase())));
  if (topic === undefined) return query;
  return query.slice(0, place.at) + topic + query.slice(place.at + place.text.length);
}

/** 它的 is 它 and a particle. */
function withoutParticle(word: Word): Word {
  return /^.{1,2}的$/u.test(word.text) ? { ...word, text: word.text.slice(0, -1) } : word;
}

/** `IT` in capitals is a trade. */
function isPronoun(text: string, last: boolean): boolean {
  if (/^[A-Z]{2,}$/.test(text)) return false;
  const word = text.toLowerCase();
  return pronouns.has(word) || (last && atTheEnd.has(word));
}

/** A name inside the query: something in quotes, or with a capital after its beginning. */
function hasTopic(query: string): boolean {
  return /["“「《][^"”」》]{2,}["”」》]/.test(query) || /\s(?!I\b)\p{Lu}[\p{L}\d]/u.test(query.trim());
}

interface Word {
  readonly text: string;
  readonly at: number;
  readonly last: boolean;
}

let segmenter: Intl.Segmenter | undefined;

function wordsOf(text: string): Word[] {
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  const words = [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike === true);
  return words.map(({ segment, index }, at) => ({ text: segment, at: index, last: at === words.length - 1 }));
}

function bestTopic(history: readonly ChatTurn[], asked: ReadonlySet<string>): string | undefined {
  const scores = new Map<string, { readonly topic: string; score: number }>();
  for (const [age, { role, content }] of history.slice(-lookBack).toReversed().entries()) {
    const weight = (role === "user" || role === "human" ? 3 : 1) / (1 + age);
    for (const topic of topicsIn(content.slice(0, longestTurn))) {
      const key = topic.toLowerCase();
      if (asked.has(key)) continue;
      const entry = scores.get(key) ?? { topic, score: 0 };
      entry.score += weight * tellingness(topic);
      scores.set(key, entry);
    }
  }
  const best = [...scores.values()].reduce<{ topic: string; score: number } | undefined>(
    (best, entry) => (best === undefined || entry.score > best.score ? entry : best),
    undefined,
  );
  return best?.topic;
}

/** Runs of telling words, as they are written. */
function topicsIn(text: string): string[] {
  const topics: string[] = [];
  let run: Word[] = [];
  const end = (): void => {
    const [first] = run;
    const last = run.at(-1);
    if (first !== undefined && last !== undefined) topics.push(text.slice(first.at, last.at + last.text.length));
    run = [];
  };
  for (const word of wordsOf(text)) {
    const before = run.at(-1);
    const apart = before !== undefined && !/^[ \-'’.·]?$/.test(text.slice(before.at + before.text.length, word.at));
    if (apart || isFull(run)) end();
    if (idle.has(word.text.toLowerCase()) || isPronoun(word.text, false)) end();
    else run.push(word);
  }
  end();
  return topics.filter((topic) => topic.length > 1 && !/^\d+$/.test(topic));
}

/** Names in Chinese are often cut into single characters. */
function isFull(run: readonly Word[]): boolean {
  const unspaced = run.some(({ text }) => /\p{Script=Han}/u.test(text));
  return run.length === (unspaced ? mostCharacters : mostWords);
}

function tellingness(topic: string): number {
  const named = /\p{Lu}/u.test(topic.slice(1)) || /^\p{Lu}\p{L}+$/u.test(topic) || /\p{Script=Han}/u.test(topic);
  return (named ? 2 : 1) * Math.sqrt(Math.min(mostWords, topic.split(/\s+/).length));
}
