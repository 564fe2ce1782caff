import type { ReasoningLanguage } from "./reasoning-block.ts";

/** Notes as runners write them, and in Chinese; what they quote stays as it is. */
const chinese: readonly (readonly [note: RegExp, words: string])[] = [
  [/^the answer was cut off by the model's limit of tokens$/, "回答达到模型的词元上限，被截断了"],
  [/^(.+) was cut off by the model's limit of tokens$/, "$1 达到模型的词元上限，被截断了"],
  [/^older tool results were cleared: the conversation was too long for the model$/, "对话太长，已清除较早的工具结果"],
  [/^the beginning of the conversation was summarised: it was too long for the model$/, "对话太长，已归纳它的开头"],
  [/^what the tools gave was too long for the model, and was cut$/, "工具给出的内容太长，已截断"],
  [/^the model wanted tools, and no tool may be called: (.+)$/s, "模型想用工具，但不能调用：$1"],
  [
    /^all (\d+) rounds of tool calls \(max_rounds\) were used up, so the model had to answer with what it had$/,
    "$1 轮工具调用（max_rounds）已用完，模型只能用已有的内容回答",
  ],
  [
    /^the one round of tool calls \(max_rounds\) was used up, so the model had to answer with what it had$/,
    "一轮工具调用（max_rounds）已用完，模型只能用已有的内容回答",
  ],
  [
    /^the last calls brought nothing new, so the model had to answer with what it had$/,
    "最后几次调用没有带来新内容，模型只能用已有的内容回答",
  ],
  [
    /^the budget was nearly used up, so the model had to answer with what it had$/,
    "预算将要用完，模型只能用已有的内容回答",
  ],
  [/^(.+) gave no answer, and (.+) was asked instead: (.+)$/s, "$1 没有回答，改问了 $2：$3"],
  [/^the model gave no answer \((.+)\)$/s, "模型没有回答（$1）"],
  [/^the loop broke \((.+)\); a plan is tried instead$/s, "循环中断（$1），改用计划"],
  [/^the plan led to the answer$/, "按计划得出了回答"],
  [/^the plan failed as well \((.+)\)$/s, "计划也失败了（$1）"],
  [/^no notes of the time "(.+)" were found; notes of all times were searched$/s, "没有“$1”的笔记，已搜索全部笔记"],
  [/^the time "(.+)" was not understood; notes of all times were searched$/s, "看不懂时间“$1”，已搜索全部笔记"],
  [/^the answer cites none of the notes$/, "回答没有引用任何笔记"],
  [/^these name no note, and were left as they are: (.+)$/s, "这些不对应任何笔记，保持原样：$1"],
  [/^there is no command (@\S+); did you mean (@\S+)\?$/, "没有命令 $1，是不是 $2？"],
  [/^(@\S+) was not carried out: (.+)$/s, "$1 没有执行：$2"],
  [
    /^only the first (\d+) commands were carried out: (\d+) more were left out$/,
    "只执行了前 $1 个命令，另有 $2 个未执行",
  ],
  [/^(@.+?) (?:was|were) taken as text: (.+)$/s, "$1 被当作文本：$2"],
  [/^only the beginning was shown of (.+)$/s, "只显示了开头：$1"],
  [/^found before the budget was used up: (.+)$/s, "预算用完之前找到：$1"],
];

/** A note of a runner in the language of the question, as far as there are words for it. */
export function noteWords(note: string, language: ReasoningLanguage): string {
  if (language === "en") return note;
  const [pattern, words] = chinese.find(([each]) => each.test(note)) ?? [];
  return pattern === undefined || words === undefined ? note : note.replace(pattern, words);
}

/** The note that an answer is not whole. */
export const cutOffNote = "the answer was cut off by the model's limit of tokens";
