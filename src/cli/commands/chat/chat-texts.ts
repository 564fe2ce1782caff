import { cliCommand } from "../../../base/index.ts";
import type { ReasoningLanguage } from "../../../agent/index.ts";
import { formatCount, formatNumber } from "../../terminal/format-figures.ts";

/** Runner and model of a chat, and the length of its history. */
export interface Greeting {
  readonly runner: string;
  /** Undefined if no model is configured. */
  readonly model: string | undefined;
  readonly tools: number;
  readonly messages: number;
}

/** Texts of the chat, in the language of the conversation. */
export interface ChatTexts {
  readonly greeting: (greeting: Greeting) => string;
  /** Shown if the runner needs a model and none is configured; `why` says what to configure. */
  readonly withoutModel: string;
  readonly exitAgain: string;
  /** Descriptions of the commands. */
  readonly commands: Readonly<Record<CommandName, string>>;
  readonly aboutKeys: string;
  readonly noCommand: (name: string, near: string | undefined) => string;
  readonly beginsWithSlash: string;
  readonly tools: (count: number) => string;
  readonly noModel: () => string;
  readonly nextModel: (name: string) => string;
  readonly nextRunner: (name: string) => string;
  readonly nothingWaits: string;
  readonly severalWait: (count: number) => string;
  readonly noneOfThem: (count: number, word: string) => string;
  readonly needsNumber: string;
  readonly emptyHistory: string;
  readonly prompts: (count: number) => string;
  readonly forgotten: string;
}

/** The commands of a chat. */
export type CommandName = "help" | "tools" | "model" | "runner" | "resume" | "history" | "usage" | "clear" | "exit";

const en: ChatTexts = {
  greeting: ({ runner, model = "no model", tools, messages }) => {
    const before = messages === 0 ? "" : `, ${formatCount(messages, "message")} so far`;
    return `${runner} with ${model} and ${formatCount(tools, "tool")}${before}; /help lists the commands`;
  },
  withoutModel: "/runner vault answers from your notes without a model",
  exitAgain: "Press Ctrl-C again to exit.",
  commands: {
    help: "show this help",
    tools: "list the tools of the model; with WORD, only matching ones",
    model: "list the models; with NAME, switch to one",
    runner: "list the runners; with NAME, switch to one",
    resume: "resume a prompt that waits for approval; with NUMBER if there are several",
    history: "show the conversation history; with NUMBER, only the last messages",
    usage: "show the usage of this session",
    clear: "clear the conversation history",
    exit: "exit; Ctrl-D does the same",
  },
  aboutKeys: "Ctrl-C stops the current answer; pressed twice on an empty line, it exits.",
  noCommand: (name, near) =>
    `unknown command /${name}; ${near === undefined ? "/help lists the commands" : `did you mean /${near}?`}`,
  beginsWithSlash: "to send a prompt that begins with /, type a space before it",
  tools: (count) => formatCount(count, "tool"),
  noModel: () => `No model is configured; for details: ${cliCommand("doctor")}`,
  nextModel: (name) => `The next prompt goes to ${name}.`,
  nextRunner: (name) => `The next prompt uses ${name}.`,
  nothingWaits: "no prompt waits for approval",
  severalWait: (count) => `${waiting(count)}; resume one with: /resume NUMBER`,
  noneOfThem: (count, word) => `${waiting(count)}; none of them is ${JSON.stringify(word)}`,
  needsNumber: "/history takes the number of messages to show",
  emptyHistory: "No messages yet.",
  prompts: (count) => `${formatCount(count, "prompt")}: `,
  forgotten: "History cleared.",
};

function waiting(count: number): string {
  return `${formatCount(count, "prompt")} ${count === 1 ? "waits" : "wait"} for approval`;
}

const zh: ChatTexts = {
  greeting: ({ runner, model = "（未配置模型）", tools, messages }) => {
    const before = messages === 0 ? "" : `，此前 ${formatNumber(messages)} 条消息`;
    return `${runner}，${model}，${formatNumber(tools)} 个工具${before}；输入 /help 查看命令`;
  },
  withoutModel: "/runner vault 无需模型，直接根据笔记回答",
  exitAgain: "再按一次 Ctrl-C 退出。",
  commands: {
    help: "显示帮助",
    tools: "列出模型可用的工具；加关键词可筛选",
    model: "列出模型；加名称可切换",
    runner: "查看运行方式；加名称可切换",
    resume: "恢复等待审批的提问；有多个时加编号",
    history: "查看对话历史；加数字只显示最近几条消息",
    usage: "查看本次会话的用量",
    clear: "清空对话历史",
    exit: "退出；也可按 Ctrl-D",
  },
  aboutKeys: "按 Ctrl-C 停止当前回答；在空行连按两次则退出。",
  noCommand: (name, near) => `未知命令 /${name}；${near === undefined ? "输入 /help 查看命令" : `是不是 /${near}？`}`,
  beginsWithSlash: "要发送以 / 开头的内容，请在前面加一个空格",
  tools: (count) => `${formatNumber(count)} 个工具`,
  noModel: () => `未配置模型；详情请运行：${cliCommand("doctor")}`,
  nextModel: (name) => `下一次提问将由 ${name} 回答。`,
  nextRunner: (name) => `下一次提问将使用 ${name}。`,
  nothingWaits: "没有等待审批的提问",
  severalWait: (count) => `有 ${formatNumber(count)} 个提问在等待审批；用“/resume 编号”恢复其中一个`,
  noneOfThem: (count, word) => `有 ${formatNumber(count)} 个提问在等待审批，其中没有 ${JSON.stringify(word)}`,
  needsNumber: "/history 后面应为要显示的消息条数",
  emptyHistory: "暂无对话记录。",
  prompts: (count) => `${formatNumber(count)} 次提问：`,
  forgotten: "已清空。",
};

/** Chat texts by language. */
export const chatTexts: Readonly<Record<ReasoningLanguage, ChatTexts>> = { en, zh };
