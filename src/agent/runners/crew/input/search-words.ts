import { cutText } from "../../../../text/index.ts";

/** What is asked for, without the words that ask for it. */
const asking =
  /^(?:please\s+)?(?:use \S+ to\s+)?(?:(?:search(?:ing)?|look|google|query|browse)(?:\s+(?:on|in|through))?(?:\s+(?:the|my))?(?:\s+(?:web|internet|notes?|vault|news))?(?:\s+(?:for|up|about))?|find(?:\s+out)?|research|get|collect|gather)\s+(?:(?:some\s+)?(?:information|details|facts|articles|pages|results|notes)\s+)?(?:(?:about|on|for|regarding)\s+)?/i;
const chineseAsking =
  /^(?:请|先|再)*(?:(?:在|到|从)?(?:网上|网络上?|互联网上?|网页|笔记(?:中|里)?))?(?:搜索|查找|检索|查询|查一?下|搜一?下|寻找|了解|收集|搜集|获取)(?:一下|有关|关于|并?整理)*/;
const chineseEnd = /的?(?:相关)?(?:信息|资料|内容|情况|结果)?[。．.！!？?]*$/;

const longestQuery = 400;

/** The words of a search, in the order in which the step has them, without the words that ask for it. */
export function searchWords(description: string): string {
  const text = description.trim().replaceAll(/\s+/g, " ");
  const bare = text.replace(asking, "").replace(chineseAsking, "").replace(chineseEnd, "").trim();
  return cutText(bare === "" ? text : bare, longestQuery, { ending: "" }).text;
}
