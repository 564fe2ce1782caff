import type { ReasoningLanguage } from "../agent/index.ts";
import { formatCount } from "./format-figures.ts";

/** A call of an agent: in which part of its work, in which round, and which one of that. */
export interface CallPlace {
  readonly part: string | undefined;
  readonly round: string;
  readonly call: number;
}

/** What became of a question that was withdrawn. */
export type Elsewhere = "approved" | "rejected" | "expired";

/** What whoever decides on calls is told besides the arguments, in the language of what was asked. */
export interface QuestionWords {
  /** What is asked, as the engine says it. */
  readonly question: (message: string) => string;
  /** Asks at last, with what can be typed. */
  readonly approve: string;
  /** What was typed is none of it. */
  readonly unclear: string;
  /** What was typed before the question. */
  readonly forgotten: (typed: string) => string;
  /** What was typed while nothing was asked. */
  readonly unused: (typed: string) => string;
  /** What was typed as an answer when there was no question any more. */
  readonly notSent: (typed: string) => string;
  /** How it was decided while it was asked here. */
  readonly elsewhere: (how: Elsewhere, by: string | undefined) => string;
  readonly leftOut: (size: string, command: string) => string;
  readonly waiting: string;
  readonly needs: (runId: string, decisions: number) => string;
  readonly allDecided: (runId: string, command: string) => string;
  readonly place: (place: CallPlace) => string;
  readonly afterwards: string;
}

const en: QuestionWords = {
  question: (message) => message,
  approve: "Approve? [y/n, Enter to decide later] ",
  unclear: "That is no answer: y lets the call run, n refuses it, Enter alone decides later.",
  forgotten: (typed) => `not used, since it was typed before the question: ${typed}`,
  unused: (typed) => `not used, since it was typed while nothing was asked: ${typed}`,
  notSent: (typed) => `not sent, since the approval was decided elsewhere: ${typed}; typed once more, it is sent`,
  elsewhere: (how, by) =>
    how === "expired" ? "not decided in time" : `${how} elsewhere${by === undefined ? "" : ` by ${by}`}`,
  leftOut: (size, command) => `… ${size} left out; ${command} shows all …`,
  waiting: "waiting:",
  needs: (runId, decisions) =>
    `run ${runId} needs ${decisions === 1 ? "a decision" : formatCount(decisions, "decision")}`,
  allDecided: (runId, command) => `all that run ${runId} asked is decided by now; ${command} goes on with it`,
  place: ({ part, round, call }) => `${part === undefined ? "" : `${part}, `}round ${round}, call ${call}`,
  afterwards: "approve and reject both let the run go on; after reject it does so without the call",
};

const zh: QuestionWords = {
  question: (message) =>
    message.replace(
      /^Allow (.+) to run with these arguments\?/s,
      (_all, tool: string) => `允许 ${tool} 以这些参数运行吗？`,
    ),
  approve: "批准吗？[y/n，回车稍后决定] ",
  unclear: "这不是回答：y 允许运行，n 拒绝，直接回车稍后决定。",
  forgotten: (typed) => `未使用，因为是在提问之前输入的：${typed}`,
  unused: (typed) => `未使用，因为输入时没有提问：${typed}`,
  notSent: (typed) => `未发送，因为批准已在别处决定：${typed}；再输入一次即可发送`,
  elsewhere: (how, by) => {
    if (how === "expired") return "未及时决定";
    return `已在别处${how === "approved" ? "批准" : "拒绝"}${by === undefined ? "" : `（${by}）`}`;
  },
  leftOut: (size, command) => `… 省略 ${size}；${command} 显示全部 …`,
  waiting: "等待：",
  needs: (runId, decisions) => `运行 ${runId} 需要 ${decisions} 个决定`,
  allDecided: (runId, command) => `运行 ${runId} 所问的都已决定；${command} 可以继续`,
  place: ({ part, round, call }) => `${part === undefined ? "" : `${part}，`}第 ${round} 轮，第 ${call} 次调用`,
  afterwards: "批准后运行继续；拒绝后也继续，直到结束",
};

/** The words for a language. */
export const questionWords: Readonly<Record<ReasoningLanguage, QuestionWords>> = { en, zh };
