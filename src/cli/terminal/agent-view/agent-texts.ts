import type { AgentResult, ReasoningLanguage } from "../../../agent/index.ts";
import type { Effect } from "../../../tool/index.ts";
import { formatCount, formatNumber } from "../format-figures.ts";
import { formatDuration } from "../../../text/index.ts";

/** Usage of a run, as far as it is shown. */
export type AgentUsage = Pick<AgentResult, "usage"> & { readonly calls: number; readonly rounds: number };

/** Texts about a run of an agent, in the language of its prompt. Errors are reported in English. */
export interface AgentTexts {
  readonly began: (runner: string, runId: string) => string;
  readonly ended: (state: string, ms: number) => string;
  readonly before: (calls: number) => string;
  readonly retrying: string;
  readonly called: (
    tool: string,
    end: { readonly well: boolean; readonly ms: number; readonly detail: string },
  ) => string;
  readonly waits: (tool: string, approvalId: string, message: string) => string;
  readonly decided: (tool: string, approved: boolean) => string;
  readonly used: (used: AgentUsage) => string;
  readonly stopping: string;
  readonly releasing: string;
  readonly stopped: string;
  /** Shown below a partial answer. */
  readonly cut: string;
  /** Shown below an answer that the model could not complete. */
  readonly cutOff: string;
  /** A notice for the user. */
  readonly note: (text: string) => string;
  readonly released: (runId: string, command: string) => string;
  readonly resumeHint: (command: string) => string;
  readonly effects: Readonly<Record<Effect, string>>;
  /** Reason for an approval: a rule, or untrusted content if there is none. */
  readonly approvalReason: (effect: string, rule: string | undefined) => string;
}

/** Prices have no currency, so sums have none either. */
function costOf({ usage: { cost } }: AgentUsage): string | undefined {
  return cost === undefined ? undefined : String(Number(cost.toPrecision(3)));
}

function tokensOf({ usage: { inputTokens, outputTokens } }: AgentUsage): number {
  return inputTokens + outputTokens;
}

const en: AgentTexts = {
  began: (runner, runId) => `${runner}: run ${runId}`,
  ended: (state, ms) => `${state}, ${formatDuration(ms)}`,
  before: (calls) => `${formatCount(calls, "call")} made earlier`,
  retrying: "the stream was interrupted; retrying",
  called: (tool, { well, ms, detail }) =>
    `${tool}: ${well ? "done in" : "failed after"} ${formatDuration(ms)}${detail === "" ? "" : `; ${detail}`}`,
  waits: (tool, approvalId, message) => `${tool} waits for approval ${approvalId}: ${message}`,
  decided: (tool, approved) => `${tool} ${approved ? "approved" : "rejected"}`,
  used: (used) => {
    const [tokens, cost] = [tokensOf(used), costOf(used)];
    return [
      formatCount(used.calls, "tool call"),
      formatCount(used.rounds, "model request"),
      ...(tokens > 0 ? [`${used.usage.estimated === true ? "about " : ""}${formatCount(tokens, "token")}`] : []),
      ...(cost === undefined ? [] : [`cost ${cost} (in the currency of the configured price)`]),
    ].join(", ");
  },
  stopping: "Cancelling; press Ctrl-C again to exit immediately (resume later).",
  releasing: "Releasing the run: running calls may finish, no new ones start.",
  stopped: "Stopped; this prompt is not added to the conversation.",
  cut: "(incomplete answer)",
  cutOff: "(incomplete: the model reached its token limit; prompt it to continue, or raise max_tokens)",
  note: (text) => `note: ${text}`,
  released: (runId, command) => `Run ${runId} was interrupted. Continue with: ${command}`,
  resumeHint: (command) => `continue with: ${command}`,
  effects: {
    pure: "changes nothing",
    read: "read-only",
    idempotent: "makes changes, may be repeated",
    once: "makes changes, must not be repeated",
  },
  approvalReason: (effect, rule) =>
    `${effect}; needs approval because ${rule === undefined ? "the conversation contains untrusted content" : `of the rule ${rule}`}`,
};

const zh: AgentTexts = {
  began: (runner, runId) => `${runner}：运行 ${runId}`,
  ended: (state, ms) => `${state}，用时 ${formatDuration(ms)}`,
  before: (calls) => `此前已完成 ${formatNumber(calls)} 次调用`,
  retrying: "连接中断，正在重试",
  called: (tool, { well, ms, detail }) =>
    `${tool}：${well ? "完成" : "失败"}，用时 ${formatDuration(ms)}${detail === "" ? "" : `；${detail}`}`,
  waits: (tool, approvalId, message) => `${tool} 等待审批 ${approvalId}：${message}`,
  decided: (tool, approved) => `${tool} ${approved ? "已批准" : "已拒绝"}`,
  used: (used) => {
    const [tokens, cost] = [tokensOf(used), costOf(used)];
    return [
      `${formatNumber(used.calls)} 次工具调用`,
      `${formatNumber(used.rounds)} 次模型请求`,
      ...(tokens > 0 ? [`${used.usage.estimated === true ? "约 " : ""}${formatNumber(tokens)} 个 token`] : []),
      ...(cost === undefined ? [] : [`费用 ${cost}（货币单位与所配置的价格相同）`]),
    ].join("，");
  },
  stopping: "正在取消；再按一次 Ctrl-C 立即退出（之后可恢复）。",
  releasing: "正在退出：已开始的调用会执行完，不再发起新的调用。",
  stopped: "已停止；本次提问不计入对话。",
  cut: "（回答不完整）",
  cutOff: "（回答不完整：已达到模型的 token 上限；可让它继续，或调高 max_tokens）",
  note: (text) => `注意：${text}`,
  released: (runId, command) => `运行 ${runId} 已中断，可用 ${command} 恢复`,
  resumeHint: (command) => `可用 ${command} 恢复`,
  effects: {
    pure: "无副作用",
    read: "只读",
    idempotent: "会产生修改，可重复执行",
    once: "会产生修改，不可重复执行",
  },
  approvalReason: (effect, rule) =>
    `${effect}；需要批准的原因：${rule === undefined ? "对话中包含不可信内容" : `规则 ${rule}`}`,
};

/** Agent texts by language. */
export const agentTexts: Readonly<Record<ReasoningLanguage, AgentTexts>> = { en, zh };
