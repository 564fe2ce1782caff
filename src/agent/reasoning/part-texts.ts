import { type PartKind, partKind } from "../part-kind.ts";
import type { ReasoningLanguage } from "./reasoning-block.ts";

/** What a question to the model is for, while it goes on and when it is done. */
interface PartWords {
  readonly doing: string;
  readonly done: string;
}

type Words = Readonly<Record<ReasoningLanguage, PartWords>>;

const thinking: Words = {
  en: { doing: "Thinking", done: "Thought about it" },
  zh: { doing: "正在思考", done: "已思考" },
};

const answering: Words = {
  en: { doing: "Writing the answer", done: "Wrote the answer" },
  zh: { doing: "正在生成回复", done: "已生成回复" },
};

const onTheWay: Readonly<Record<Exclude<PartKind, "answer">, Words>> = {
  summary: {
    en: { doing: "Summing up what was said", done: "Summed up what was said" },
    zh: { doing: "正在归纳对话", done: "已归纳对话" },
  },
  plan: { en: { doing: "Planning", done: "Made a plan" }, zh: { doing: "正在规划步骤", done: "已规划步骤" } },
  check: { en: { doing: "Checking", done: "Checked" }, zh: { doing: "正在核对", done: "已核对" } },
  step: {
    en: { doing: "Working on a step", done: "Worked on a step" },
    zh: { doing: "正在处理一个步骤", done: "已处理一个步骤" },
  },
};

function wordsOfPart(part: string, ofAnswer: Words): Words {
  const kind = partKind(part);
  return kind === "answer" ? ofAnswer : onTheWay[kind];
}

/** What the model does in this part before it says anything. */
export function thinkingWords(part: string, language: ReasoningLanguage): string {
  return withNumber(part, wordsOfPart(part, thinking)[language].doing);
}

/** What it does once it speaks. */
export function answeringWords(part: string, language: ReasoningLanguage): string {
  return withNumber(part, wordsOfPart(part, answering)[language].doing);
}

/** Why nothing comes for a while: `waiting 6 s: the service asks to slow down`. */
export function waitingWords(ms: number, reason: string | undefined, language: ReasoningLanguage): string {
  const slow = reason === "rate_limited";
  const seconds = ms < 950 ? (ms / 1000).toFixed(1) : String(Math.ceil(ms / 1000));
  if (language === "zh") return `等待 ${seconds} 秒：${slow ? "服务要求放慢速度" : "服务出错或无法连接，将再次询问"}`;
  return `waiting ${seconds} s: the service ${slow ? "asks to slow down" : "failed or was not reached, and is asked again"}`;
}

/** What it did, once it is done and wants no tools. */
export function answeredWords(part: string, language: ReasoningLanguage): string {
  return withNumber(part, wordsOfPart(part, answering)[language].done);
}

/** Steps are told apart by what the runner calls them. */
function withNumber(part: string, words: string): string {
  const number = /^(?:step|prepare)[-_ ]?(\w{1,40})/.exec(part)?.[1];
  return number === undefined ? words : `${words}: ${number}`;
}
