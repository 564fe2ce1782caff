import type { ReasoningLanguage } from "./reasoning-block.ts";

/** Notices of runners with their Chinese translation; quoted parts stay unchanged. */
const chinese: readonly (readonly [note: RegExp, words: string])[] = [
  [/^the answer was cut off by the model's limit of tokens$/, "回答达到模型的 token 上限，已被截断"],
  [/^(.+) was cut off by the model's limit of tokens$/, "$1 达到模型的 token 上限，已被截断"],
  [/^the answer was cut off by a content filter of the model's service$/, "回答被模型服务的内容过滤器截断"],
  [
    /^the answer contains a tool call that the model wrote as text; it was not made$/,
    "回答里有模型写成文本的工具调用，没有执行",
  ],
  [/^images of tools were removed: the service rejected the request$/, "服务拒绝了请求，已移除工具返回的图片"],
  [/^older tool results were cleared: the conversation was too long for the model$/, "对话太长，已清除较早的工具结果"],
  [/^the beginning of the conversation was summari[sz]ed: it was too long for the model$/, "对话太长，已归纳它的开头"],
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
  [/^(.+) gave no answer, and (.+) was used instead: (.+)$/s, "$1 没有回答，改用 $2：$3"],
  [/^the model gave no answer \((.+)\)$/s, "模型没有回答（$1）"],
  [/^the loop broke \((.+)\); a plan is tried instead$/s, "循环中断（$1），改用计划"],
  [/^the plan led to the answer$/, "按计划得出了回答"],
  [/^the plan failed as well \((.+)\)$/s, "计划也失败了（$1）"],
  [/^no notes of the time "(.+)" were found; notes of all times were searched$/s, "没有“$1”的笔记，已搜索全部笔记"],
  [/^the time "(.+)" was not understood; notes of all times were searched$/s, "看不懂时间“$1”，已搜索全部笔记"],
  [/^the answer cites none of the notes$/, "回答没有引用任何笔记"],
  [/^these citations match no note and stay unchanged: (.+)$/s, "这些不对应任何笔记，保持原样：$1"],
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

/** Translates a runner's notice to the language of the prompt if there is a translation. */
export function translateNotice(note: string, language: ReasoningLanguage): string {
  if (language === "en") return note;
  const [pattern, words] = chinese.find(([each]) => each.test(note)) ?? [];
  return pattern === undefined || words === undefined ? note : note.replace(pattern, words);
}

/** The notice that an answer is incomplete. */
export const cutOffNotice = "the answer was cut off by the model's limit of tokens";

/** The notice that the service of the model ended an answer early. */
export const filteredNotice = "the answer was cut off by a content filter of the model's service";
