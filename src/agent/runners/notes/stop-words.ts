import { isRowOfWords } from "../../../text/index.ts";
/** Function words and words of request, which are never search terms. */
const english =
  "a about above after again all also am an and another any anything are as at be because been before being below " +
  "between both but by can could did do does doing during each either else ever every few for from further had has have " +
  "having he her here hers him his how however i if in into is it its itself just me might mine more most much must my " +
  "myself neither no nor not now of off on once only or other our ours out over own perhaps same shall she should since " +
  "so some something such than that the their theirs them then there these they thing things this those through to too " +
  "under until up upon us very was we were what whatever when where whether which while who whom whose why will with " +
  "within without would yet you your yours " +
  // words of request
  "answer ask check compare describe explain find get give got hello help hey hi know let like list look looking " +
  "mention mentioned ok okay please recall remember say says said search see show summarise summarize summary tell thank " +
  "thanks think use using want wanted wonder write writing written wrote " +
  // words for the notes themselves
  "note notes vault last latest newest recent";

const chinese =
  "的 了 是 在 和 与 或 及 跟 同 吗 呢 吧 啊 呀 哦 嗯 嘛 啦 我 你 您 他 她 它 我们 你们 他们 她们 它们 咱们 自己 大家 请 把 被 让 给 对 " +
  "对于 从 向 由 于 到 为 为了 以 以及 而 并 并且 而且 但 但是 不过 因为 所以 如果 虽然 然后 还是 或者 关于 有关 相关 这 那 此 其 该 这个 " +
  "那个 这些 那些 这样 那样 这么 那么 这里 那里 这儿 那儿 谁 什么 怎么 怎样 怎么样 如何 为什么 为何 哪 哪里 哪儿 哪个 哪些 多少 多久 几 有 没 " +
  "没有 会 能 能够 可以 可能 要 想 应该 需要 必须 得 不 不是 就 都 也 还 又 再 很 太 最 更 非常 比较 一 一下 一些 一点 一个 一种 时候 过 着 " +
  "里 中 上 下 里面 其中 个 些 条 篇 份 用 叫 做 " +
  // words of request
  "请问 告诉 介绍 解释 说明 知道 搜索 搜 查找 查询 查 找 找到 找出 帮 帮忙 帮助 看 看看 讲 讲讲 说 说说 聊聊 谈谈 问 回答 总结 归纳 列出 " +
  "列举 描述 提到 提及 写 写过 写了 写的 记 记过 记录 记录了 记得 谢谢 你好 您好 内容 信息 资料 情况 东西 事情 " +
  // words for the notes themselves
  "笔记 知识库 笔记本 最新";

/** Words that occur in notes about anything: search terms only if a prompt has no others. */
const vague =
  "actually anyone came come comes coming day days detail details diary discuss discussed entries entry everything " +
  "exactly file files go goes going gone happen happened happening happens info information journal journals kind kinds " +
  "learn learned learnt log logged logs lot lots may mean means meant new nothing page pages " +
  "read reading really record recorded records someone somebody sort sorts subject talk talked text topic topics " +
  "way ways went work worked working " +
  "发生 发生了 发生过 事 主题 话题 文章 文件 文档 日记 日志 记载 学到 学了 学 干 干了 忙 忙了 做过 新 主要 具体 到底 究竟 一共 总共";

const words: ReadonlySet<string> = new Set(`${english} ${chinese}`.split(/\s+/));
const vagueWords: ReadonlySet<string> = new Set(vague.split(/\s+/));

/** True if a word is never a search term. */
export function isStopWord(word: string): boolean {
  const [stem = ""] = word.toLowerCase().split(/['’]/, 1);
  return words.has(stem) || (/^\p{Script=Han}{2,8}$/u.test(stem) && isRowOfWords(stem, words));
}

/** True if a word is a weak search term. As part of a name, as in New York, it has another meaning. */
export function isVague(word: string): boolean {
  return vagueWords.has(word) || isStopWord(word);
}
