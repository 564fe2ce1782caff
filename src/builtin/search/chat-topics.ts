import { wordSegments, isRowOfWords } from "../../text/index.ts";
/** One turn of a conversation. */
export interface ChatTurn {
  readonly role: string;
  readonly content: string;
}

const lookBack = 6;
const maxTurnLength = 600;
const maxWords = 4;
const maxCharacters = 10;

/**
 * Finds the topic of the last turns by counting: runs of up to four content words in the last six turns. Later turns,
 * turns of the user, capitals, quotes and possessors (法国的人口) score higher. The words of the query itself are not a
 * topic. If its pronoun refers to a person, the topic is the answer to a "who" question, not its subject.
 */
export function chatTopic(history: readonly ChatTurn[], query: string, isPerson: boolean): string | undefined {
  const turns = history.slice(-lookBack).map(({ role, content }) => ({ role, text: content.slice(0, maxTurnLength) }));
  const left = isPerson ? new Set(turns.flatMap(({ text }) => topicOfQuery(text))) : new Set<string>();
  const scores = new Map<string, { readonly topic: string; score: number }>();
  for (const [age, { role, text }] of turns.toReversed().entries()) {
    const weight = (role === "user" || role === "human" ? 3 : 1) / (1 + age);
    for (const [key, { topic, score }] of bestOfEach(topicsIn(text))) {
      if (left.has(key) || query.toLowerCase().includes(key)) continue;
      const entry = scores.get(key) ?? { topic, score: 0 };
      entry.score += weight * score;
      scores.set(key, entry);
    }
  }
  return best([...scores.values()])?.topic;
}

interface Topic {
  /** As it is written. */
  readonly topic: string;
  readonly score: number;
}

/** Repetition does not raise a topic's score. */
function bestOfEach(topics: readonly Topic[]): Map<string, Topic> {
  const found = new Map<string, Topic>();
  for (const topic of topics) {
    const key = topic.topic.toLowerCase();
    const known = found.get(key);
    if (known === undefined || known.score < topic.score) found.set(key, topic);
  }
  return found;
}

function best<Scored extends { readonly score: number }>(all: readonly Scored[]): Scored | undefined {
  return all.reduce<Scored | undefined>(
    (best, one) => (best === undefined || one.score > best.score ? one : best),
    undefined,
  );
}

/**
 * The subject of a question about a person: Hamlet in "who wrote Hamlet"; but in "who is Ada" the person is the topic.
 */
function topicOfQuery(text: string): string[] {
  const isAboutPerson = /谁|\bwho\b/iu.test(text) && !/是谁|\bwho(?:['’]s|\s+(?:is|was|are|were))\b/iu.test(text);
  return isAboutPerson ? topicsIn(text).map(({ topic }) => topic.toLowerCase()) : [];
}

interface Word {
  readonly text: string;
  readonly at: number;
  readonly end: number;
}

/** The words of a text, also in scripts without spaces. */
export function segmentText(text: string): Word[] {
  return [...wordSegments(text)].flatMap(({ segment, index, isWordLike }) =>
    isWordLike === true ? [{ text: segment, at: index, end: index + segment.length }] : [],
  );
}

/** Runs of content words. */
function topicsIn(text: string): Topic[] {
  const topics: Topic[] = [];
  let run: Word[] = [];
  const end = (): void => {
    const [first] = run;
    const last = run.at(-1);
    run = [];
    if (first === undefined || last === undefined) return;
    const topic = text.slice(first.at, last.end);
    if (topic.length > 1 && !/^\d+$/.test(topic)) topics.push({ topic, score: topicWeight(topic, text, first.at) });
  };
  for (const word of segmentText(text)) {
    const before = run.at(-1);
    if (before !== undefined && (!/^[ \-'’.·]?$/.test(text.slice(before.end, word.at)) || isFull(run))) end();
    if (
      isFillerWord(word.text, /(?:^|[.!?:;,\n。！？：；，])\s*$/u.test(text.slice(Math.max(0, word.at - 3), word.at)))
    )
      end();
    else run.push(word);
  }
  end();
  return topics;
}

/** Names in Chinese are often cut into single characters. */
function isFull(run: readonly Word[]): boolean {
  const unspaced = run.some(({ text }) => /\p{Script=Han}/u.test(text));
  return run.length === (unspaced ? maxCharacters : maxWords);
}

function topicWeight(topic: string, text: string, at: number): number {
  const named = /\p{Lu}/u.test(topic.slice(1)) || /^\p{Lu}\p{L}+$/u.test(topic) || /\p{Script=Han}/u.test(topic);
  const around = {
    before: text.slice(Math.max(0, at - 8), at),
    after: text.slice(at + topic.length, at + topic.length + 1),
  };
  return (named ? 2 : 1) * Math.sqrt(Math.min(maxWords, topic.split(/\s+/).length)) * standing(around);
}

/** A quoted word or a possessor is likely the topic; a possession is less so. */
function standing({ before, after }: { readonly before: string; readonly after: string }): number {
  if (/["“「《]$/u.test(before) && /^["”」》]/u.test(after)) return 2;
  if (after === "的") return 1.5;
  return /的$|\b(?:my|our|your|his|her|their|its)\s+$/iu.test(before) ? 0.5 : 1;
}

/** Words that are never a topic: function words, and the words of small talk. */
const english =
  "a an and are as at be been being but by can could did do does doing don done for from had has have having how i if in " +
  "into is isn just me more most much my no not of off on or our out so some than that the their then there these they " +
  "this those to too up us very was we were what when where which who whom whose why will with would you your yours " +
  "about above after again all also always any because before below between both during each ever every few here it its " +
  "many may might must never now only other others over own same shall should since still such through under until " +
  "while within without yet another else really quite maybe perhaps actually currently recently already soon later " +
  // verbs used about a topic, not the topic itself
  "ask asked bought build built buy came check come compare create created describe discover discovered explain find " +
  "found founded gave get getting give given go going got hear heard help helped invent invented know knew learn " +
  "learning let like liked look looked looking love loved made make making mean means need needed read reading recommend " +
  "recommended said saw say search searching see seen show showed start started suggest suggested summarise summarize " +
  "take talk talking tell think thought took tried try trying understand use used using want wanted watch watching went " +
  "wonder wondering work working works write writing written wrote " +
  // courtesies, and comments on an answer
  "amazing answer answers appreciate awesome best better bye clear congratulations cool correct course dear exactly " +
  "excellent fine glad good goodbye great hello hey hi hope indeed interesting kindly lovely morning nice ok okay perfect " +
  "please pleasure problem question questions reply response right sorry sounds sure thank thanks thx true welcome " +
  "wonderful wow wrong yeah yep yes " +
  // generic nouns
  "bit detail details example examples fact facts idea info information kind latest link links list lot new news " +
  "overview part point reason result results something anything everything nothing someone sort story stuff summary thing " +
  "things time times topic type version way ways today tomorrow yesterday tonight day days week weeks month months year " +
  "years big small large old young first last next different various certain possible available";

const chinese =
  "的 了 是 在 和 与 或 及 跟 同 吗 呢 吧 啊 呀 哦 嗯 哈 嘛 啦 我 你 您 他 她 它 我们 你们 他们 她们 它们 咱们 自己 大家 请 把 被 让 " +
  "给 对 对于 从 向 由 于 到 为 为了 以 以及 而 并 并且 而且 但 但是 不过 因为 所以 如果 虽然 然后 还是 或者 关于 有关 这 那 此 其 该 " +
  "这个 那个 这些 那些 这样 那样 这么 那么 这里 那里 这儿 那儿 这家 那家 谁 什么 怎么 怎样 怎么样 如何 为什么 为何 哪 哪里 哪儿 哪个 哪些 " +
  "哪年 多少 多久 多大 多高 多长 几 样 有 没 没有 会 能 能够 可以 可能 要 想 应该 需要 必须 得 不 不是 就 都 也 还 又 再 很 太 最 更 " +
  "非常 十分 比较 真 真的 一 一下 一些 一点 一个 一种 它的 他的 她的 时候 现在 目前 刚 刚才 刚刚 已经 正在 最近 今天 明天 昨天 今年 去年 " +
  "明年 本周 这周 上周 下周 上个月 下个月 以后 以前 之后 之前 左右 大约 " +
  // verbs used about a topic
  "介绍 告诉 解释 说明 知道 搜索 搜 查找 查询 查 找 帮 帮忙 帮助 看 看看 看到 讲 讲讲 说 说说 聊 聊聊 谈 谈谈 问 想问 学 学习 了解 用 " +
  "使用 做 写 买 买了 卖 去 来 听 听说 读 觉得 认为 喜欢 推荐 打算 准备 发明 发现 创立 建 建造 旅游 旅行 玩 出差 位于 属于 总结 比较 " +
  // courtesies, and comments on an answer
  "谢谢 感谢 多谢 谢 不客气 客气 麻烦 劳驾 请问 打扰 你好 您好 早上好 晚上好 再见 好 好的 行 当然 没问题 没关系 对不起 抱歉 是的 对的 " +
  "没错 明白 懂 清楚 收到 不错 很好 太好了 厉害 有用 高兴 欢迎 " +
  // nouns that stand for anything
  "问题 答案 回答 答复 信息 资料 情况 新闻 消息 内容 东西 事情 事 时间 地方 结果 例子 建议 方面 详细 具体 相关 最新 主要 新";

const words: ReadonlySet<string> = new Set(`${english} ${chinese}`.split(/\s+/));

/** A count with its measure, or a superlative: 一台, 这本, 几个, 最长. */
const measured = /^[一二两三四五六七八九十几多这那每某][个台部本款家种位座项条只支首篇所场些件次点下辆张]$|^最.$/u;

/** True if a word names nothing. A capital within a sentence makes any word a name: the Great Wall. */
function isFillerWord(word: string, startsSentence: boolean): boolean {
  if (!startsSentence && /^\p{Lu}\p{L}/u.test(word)) return false;
  const [stem = ""] = word.toLowerCase().split(/['’]/, 1);
  return words.has(stem) || measured.test(stem) || (/^\p{Script=Han}+$/u.test(stem) && isRowOfWords(stem, words));
}
