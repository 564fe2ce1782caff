/** A line that begins with a command is its writer's own, whatever it says: "@memory to buy:". */
const command = /^[^\S\n]*(?:(?:[-*+•]|\d{1,3}[.)、])[^\S\n]*)?[@＠]/u;
/** A list of commands. */
const listed = /^[^\S\n]*(?:[-*+•]|\d{1,3}[.)、])[^\S\n]*[@＠]/u;

/** What is done with a text that somebody has. */
const worked =
  /\b(?:translat|summari[sz]|rewrit|rephras|paraphras|proofread|shorten)(?:e|es|ed|ing|ion|y)?\b|\b(?:summary|tl;?dr)\b|翻译|翻譯|总结|總結|概括|改写|改寫|润色|潤色|校对|校對|缩写|摘要|归纳/iu;
/** The same, of what could be something else too. */
const looked =
  /\b(?:explain|correct|improve|edit|review|analy[sz]e|classify|read|check|convert|extract|reply|respond|answer|mean|means|say|says|think|look)\b|解释|解釋|修改|分析|回复|回覆|回答|看看|阅读|意思|什么/iu;
/** What points at a text that follows. */
const pointed = /\b(?:this|these|that|it|here)\b|这|這|此/iu;
const followed =
  /\b(?:following|below)\b|\b(?:this|these|that) (?:text|e-?mail|mail|message|letter|note|article|page|passage|paragraph|post|document|comment|chat|conversation|thread|log|transcript|line)s?\b|\bhere(?:['’]s| is| are)\b|以下|下面|下列|如下|下文|原文|(?:这|這)(?:段|篇|封|条|條|份|则|則)/iu;

/** Of a longer line its end is looked at. */
const longest = 400;

/**
 * Where a message begins to show a text: behind a line such as "Summarise:" or "Please translate the following.". All
 * that follows is shown, but for a list of commands directly below such a line. Its length where it shows none.
 */
export function shownFrom(message: string): number {
  const lines = message.split("\n");
  let at = 0;
  for (const [index, line] of lines.entries()) {
    at += line.length + 1;
    const next = lines[index + 1];
    if (next === undefined) break;
    if (announces(line, next)) return at;
  }
  return message.length;
}

/** Does a line say that a text follows? */
function announces(line: string, next: string): boolean {
  const end = line.slice(-longest).trimEnd();
  const isApart = next.trim() === "";
  if (/[:：]$/u.test(end)) return isApart || !(command.test(line) || listed.test(next));
  if (end === "" || command.test(line) || listed.test(next)) return false;
  if (followed.test(end)) return true;
  return isApart ? worked.test(end) || (looked.test(end) && pointed.test(end)) : worked.test(end) && pointed.test(end);
}
