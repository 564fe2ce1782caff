import type { ReasoningLanguage } from "../../agent/index.ts";
import { formatCount, formatNumber } from "../format-figures.ts";

/** Who answers in a chat, and what there was before. */
export interface Greeting {
  readonly runner: string;
  /** Undefined where there is none. */
  readonly model: string | undefined;
  readonly tools: number;
  readonly messages: number;
}

/** What a chat says by itself, in the language of the talk. */
export interface ChatWords {
  readonly greeting: (greeting: Greeting) => string;
  /** Of a runner that needs a model where there is none; `why` says what to set. */
  readonly withoutModel: string;
  readonly leaveAgain: string;
  /** What each command is for. */
  readonly commands: Readonly<Record<CommandName, string>>;
  readonly aboutKeys: string;
  readonly noCommand: (name: string, near: string | undefined) => string;
  readonly beginsWithSlash: string;
  readonly tools: (count: number) => string;
  readonly noModel: string;
  readonly nextModel: (name: string) => string;
  readonly nextRunner: (name: string) => string;
  readonly nothingWaits: string;
  readonly severalWait: (count: number) => string;
  readonly noneOfThem: (count: number, word: string) => string;
  readonly wantsNumber: string;
  readonly nothingSaid: string;
  readonly questions: (count: number) => string;
  readonly forgotten: string;
}

/** The commands of a chat. */
export type CommandName = "help" | "tools" | "model" | "runner" | "resume" | "history" | "usage" | "clear" | "exit";

const en: ChatWords = {
  greeting: ({ runner, model = "no model", tools, messages }) => {
    const before = messages === 0 ? "" : `, ${formatCount(messages, "message")} so far`;
    return `${runner} with ${model} and ${formatCount(tools, "tool")}${before}; /help lists what can be typed`;
  },
  withoutModel: "/runner vault answers from your notes without a model",
  leaveAgain: "Press Ctrl-C once more to leave.",
  commands: {
    help: "what can be typed",
    tools: "the tools that the model may use; with a WORD those that have it",
    model: "the models, or with a NAME go on with another",
    runner: "the ways of using tools, or with a NAME go on with another",
    resume: "go on with a question that waited for a decision; with its NUMBER where several do",
    history: "what was said so far; with a NUMBER the last so many messages",
    usage: "what the questions took that were asked here",
    clear: "forget what was said",
    exit: "leave; so does Ctrl-D",
  },
  aboutKeys: "Ctrl-C stops an answer; twice where nothing is typed, it leaves.",
  noCommand: (name, near) =>
    `there is no /${name}; ${near === undefined ? "/help lists what there is" : `did you mean /${near}?`}`,
  beginsWithSlash: "a question that begins with / needs a space in front",
  tools: (count) => formatCount(count, "tool"),
  noModel: "There is none; windlass doctor says what to set.",
  nextModel: (name) => `The next question goes to ${name}.`,
  nextRunner: (name) => `The next question is for ${name}.`,
  nothingWaits: "no question waits for a decision",
  severalWait: (count) => `${waiting(count)}; /resume NUMBER goes on with one`,
  noneOfThem: (count, word) => `${waiting(count)}, and none is ${JSON.stringify(word)}`,
  wantsNumber: "/history takes a number: how many of the last messages",
  nothingSaid: "Nothing was said so far.",
  questions: (count) => `${formatCount(count, "question")}: `,
  forgotten: "Forgotten.",
};

function waiting(count: number): string {
  return `${formatCount(count, "question")} ${count === 1 ? "waits" : "wait"}`;
}

const zh: ChatWords = {
  greeting: ({ runner, model = "（没有模型）", tools, messages }) => {
    const before = messages === 0 ? "" : `，此前 ${formatNumber(messages)} 条消息`;
    return `${runner}，${model}，${formatNumber(tools)} 个工具${before}；/help 列出可以输入的内容`;
  },
  withoutModel: "/runner vault 不用模型，从笔记中回答",
  leaveAgain: "再按一次 Ctrl-C 离开。",
  commands: {
    help: "可以输入什么",
    tools: "模型可以使用的工具；加上词则只列出含有它的",
    model: "有哪些模型；加上名称则改用它",
    runner: "使用工具的方式；加上名称则改用它",
    resume: "继续等待决定的问题；有几个时加上编号",
    history: "说过的话；加上数字则只看最后几条消息",
    usage: "这里的提问用了多少",
    clear: "忘记说过的话",
    exit: "离开；Ctrl-D 也可以",
  },
  aboutKeys: "Ctrl-C 停止回答；没有输入时按两次则离开。",
  noCommand: (name, near) => `没有 /${name}；${near === undefined ? "/help 列出有哪些命令" : `是不是 /${near}？`}`,
  beginsWithSlash: "以 / 开头的问题，前面要加一个空格",
  tools: (count) => `${formatNumber(count)} 个工具`,
  noModel: "没有模型；windlass doctor 说明要设置什么。",
  nextModel: (name) => `下一个问题由 ${name} 回答。`,
  nextRunner: (name) => `下一个问题由 ${name} 处理。`,
  nothingWaits: "没有等待决定的问题",
  severalWait: (count) => `有 ${formatNumber(count)} 个问题在等待；/resume 编号 继续其中一个`,
  noneOfThem: (count, word) => `有 ${formatNumber(count)} 个问题在等待，没有 ${JSON.stringify(word)}`,
  wantsNumber: "/history 后面是数字：最后几条消息",
  nothingSaid: "还没有说过什么。",
  questions: (count) => `${formatNumber(count)} 个问题：`,
  forgotten: "已忘记。",
};

/** The words for a language. */
export const chatWords: Readonly<Record<ReasoningLanguage, ChatWords>> = { en, zh };
