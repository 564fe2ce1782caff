import type { AgentResult, ReasoningLanguage } from "../../agent/index.ts";
import type { Effect } from "../../tool/index.ts";
import { formatCount, formatDuration, formatNumber } from "../format-figures.ts";

/** What a run took, as far as people are told. */
export type Used = Pick<AgentResult, "usage"> & { readonly calls: number; readonly rounds: number };

/** What is said about a run of an agent, in the language of its question. What goes wrong is told in English. */
export interface AgentWords {
  readonly began: (runner: string, runId: string) => string;
  readonly ended: (state: string, ms: number) => string;
  readonly before: (calls: number) => string;
  readonly asksAgain: string;
  readonly called: (
    tool: string,
    end: { readonly well: boolean; readonly ms: number; readonly detail: string },
  ) => string;
  readonly waits: (tool: string, approvalId: string, message: string) => string;
  readonly decided: (tool: string, approved: boolean) => string;
  readonly used: (used: Used) => string;
  readonly stopping: string;
  readonly leaving: string;
  readonly stopped: string;
  /** Below what there was of an answer. */
  readonly cut: string;
  /** Below an answer that the model could not end. */
  readonly cutOff: string;
  /** Something that people should know. */
  readonly note: (text: string) => string;
  readonly left: (runId: string, command: string) => string;
  readonly goesOn: (command: string) => string;
  readonly effects: Readonly<Record<Effect, string>>;
  /** Why a person is asked: a rule, or, where there is none, text from outside. */
  readonly asked: (effect: string, rule: string | undefined) => string;
}

/** Prices have no currency, so sums have none either. */
function costOf({ usage: { cost } }: Used): string | undefined {
  return cost === undefined ? undefined : String(Number(cost.toPrecision(3)));
}

function tokensOf({ usage: { inputTokens, outputTokens } }: Used): number {
  return inputTokens + outputTokens;
}

const en: AgentWords = {
  began: (runner, runId) => `${runner}: run ${runId}`,
  ended: (state, ms) => `${state}, ${formatDuration(ms)}`,
  before: (calls) => `${formatCount(calls, "call")} made before`,
  asksAgain: "the stream broke, and is asked for again",
  called: (tool, { well, ms, detail }) =>
    `${tool}: ${well ? "done in" : "failed after"} ${formatDuration(ms)}${detail === "" ? "" : `; ${detail}`}`,
  waits: (tool, approvalId, message) => `${tool} waits for approval ${approvalId}: ${message}`,
  decided: (tool, approved) => `${tool} ${approved ? "approved" : "rejected"}`,
  used: (used) => {
    const [tokens, cost] = [tokensOf(used), costOf(used)];
    return [
      formatCount(used.calls, "tool call"),
      `${formatCount(used.rounds, "question")} to the model`,
      ...(tokens > 0 ? [`${used.usage.estimated === true ? "about " : ""}${formatCount(tokens, "token")}`] : []),
      ...(cost === undefined ? [] : [`cost ${cost} in the currency of its price`]),
    ].join(", ");
  },
  stopping: "Stopping; press Ctrl-C again to leave it as it is.",
  leaving: "Leaving the run: what is under way may end, and nothing more is begun.",
  stopped: "Stopped; the conversation goes on without it.",
  cut: "(cut: the answer had not come to its end)",
  cutOff: "(cut: the model's limit of tokens was reached; ask it to go on, or raise max_tokens)",
  note: (text) => `note: ${text}`,
  left: (runId, command) => `Run ${runId} is left where it was: ${command} goes on with it`,
  goesOn: (command) => `${command} goes on with it`,
  effects: {
    pure: "it changes nothing",
    read: "it only reads",
    idempotent: "it changes something, and may be repeated",
    once: "it changes something, and must not run twice",
  },
  asked: (effect, rule) =>
    `${effect}; you are asked because ${rule === undefined ? "text from outside is in the conversation" : `the rule ${rule} says so`}`,
};

const zh: AgentWords = {
  began: (runner, runId) => `${runner}：运行 ${runId}`,
  ended: (state, ms) => `${state}，用时 ${formatDuration(ms)}`,
  before: (calls) => `此前已完成 ${formatNumber(calls)} 次调用`,
  asksAgain: "连接中断，重新提问",
  called: (tool, { well, ms, detail }) =>
    `${tool}：${well ? "完成" : "失败"}，用时 ${formatDuration(ms)}${detail === "" ? "" : `；${detail}`}`,
  waits: (tool, approvalId, message) => `${tool} 等待批准 ${approvalId}：${message}`,
  decided: (tool, approved) => `${tool} ${approved ? "已批准" : "已拒绝"}`,
  used: (used) => {
    const [tokens, cost] = [tokensOf(used), costOf(used)];
    return [
      `${formatNumber(used.calls)} 次工具调用`,
      `${formatNumber(used.rounds)} 次模型提问`,
      ...(tokens > 0 ? [`${used.usage.estimated === true ? "约 " : ""}${formatNumber(tokens)} 个词元`] : []),
      ...(cost === undefined ? [] : [`费用 ${cost}（按所设价格的货币）`]),
    ].join("，");
  },
  stopping: "正在停止；再按一次 Ctrl-C 则原样离开。",
  leaving: "正在离开：进行中的可以结束，不再开始新的。",
  stopped: "已停止；对话继续，不含这个问题。",
  cut: "（已中断：回答没有写完）",
  cutOff: "（已截断：达到模型的词元上限；可以让它继续，或提高 max_tokens）",
  note: (text) => `注意：${text}`,
  left: (runId, command) => `运行 ${runId} 停在原处：${command} 可以继续`,
  goesOn: (command) => `${command} 可以继续`,
  effects: {
    pure: "它不改变任何东西",
    read: "它只读取",
    idempotent: "它会改变东西，可以重复",
    once: "它会改变东西，不能运行两次",
  },
  asked: (effect, rule) => `${effect}；询问的原因：${rule === undefined ? "对话中有外来文本" : `规则 ${rule}`}`,
};

/** The words for a language. */
export const agentWords: Readonly<Record<ReasoningLanguage, AgentWords>> = { en, zh };
