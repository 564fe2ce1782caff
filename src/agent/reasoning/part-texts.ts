import { type PartKind, partKind } from "../events/part-kind.ts";
import type { ReasoningLanguage } from "./reasoning-block.ts";

/** Purpose of a model request, as shown while it runs and when it is done. */
type LocalizedPartTexts = Readonly<Record<ReasoningLanguage, { readonly doing: string; readonly done: string }>>;

const thinking: LocalizedPartTexts = {
  en: { doing: "Thinking", done: "Thought about it" },
  zh: { doing: "正在思考", done: "已思考" },
};

const answering: LocalizedPartTexts = {
  en: { doing: "Writing the answer", done: "Wrote the answer" },
  zh: { doing: "正在生成回复", done: "已生成回复" },
};

const onTheWay: Readonly<Record<Exclude<PartKind, "answer">, LocalizedPartTexts>> = {
  summary: {
    en: { doing: "Summarizing the conversation", done: "Summarized the conversation" },
    zh: { doing: "正在归纳对话", done: "已归纳对话" },
  },
  plan: { en: { doing: "Planning", done: "Made a plan" }, zh: { doing: "正在规划步骤", done: "已规划步骤" } },
  check: { en: { doing: "Checking", done: "Checked" }, zh: { doing: "正在校验", done: "已校验" } },
  step: {
    en: { doing: "Working on a step", done: "Worked on a step" },
    zh: { doing: "正在处理一个步骤", done: "已处理一个步骤" },
  },
};

function textsOfPart(part: string, ofAnswer: LocalizedPartTexts): LocalizedPartTexts {
  const kind = partKind(part);
  return kind === "answer" ? ofAnswer : onTheWay[kind];
}

/** Activity of the model in this part before it produces text. */
export function thinkingText(part: string, language: ReasoningLanguage): string {
  return withNumber(part, textsOfPart(part, thinking)[language].doing);
}

/** Activity of the model once it produces text. */
export function answeringText(part: string, language: ReasoningLanguage): string {
  return withNumber(part, textsOfPart(part, answering)[language].doing);
}

/** Reason for a pause: `waiting 6 s: the service limits the request rate`. */
export function waitingText(ms: number, reason: string | undefined, language: ReasoningLanguage): string {
  const slow = reason === "rate_limited";
  const seconds = ms < 950 ? (ms / 1000).toFixed(1) : String(Math.ceil(ms / 1000));
  if (language === "zh") return `等待 ${seconds} 秒：${slow ? "服务要求放慢速度" : "服务出错或无法连接，将重试"}`;
  return `waiting ${seconds} s: the service ${slow ? "limits the request rate" : "failed or was not reached; retrying"}`;
}

/** Completed activity of a model request without tool calls. */
export function answeredText(part: string, language: ReasoningLanguage): string {
  return withNumber(part, textsOfPart(part, answering)[language].done);
}

/** Steps are identified by the runner's name for them. */
function withNumber(part: string, words: string): string {
  const number = /^(?:step|prepare)[-_ ]?(\w{1,40})/.exec(part)?.[1];
  return number === undefined ? words : `${words}: ${number}`;
}
