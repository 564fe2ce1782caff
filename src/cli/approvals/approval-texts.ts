import type { ReasoningLanguage } from "../../agent/index.ts";
import { formatCount } from "../terminal/format-figures.ts";

/** Position of an agent's tool call: the part of the run, the round, and the call within the round. */
export interface AgentCallPosition {
  readonly part: string | undefined;
  readonly round: string;
  readonly call: number;
}

/** Final state of an approval that was decided in another process while it was prompted for here. */
export type RemoteDecision = "approved" | "rejected" | "expired";

/** Texts of the approval prompt around the arguments, in the language of the user's prompt. */
export interface ApprovalTexts {
  /** Translates the engine's approval message. */
  readonly message: (message: string) => string;
  /** The final prompt, with the keys that it accepts. */
  readonly approve: string;
  /** Shown if the input is not one of the accepted answers. */
  readonly unclear: string;
  /** Reports input that was typed before the prompt appeared. */
  readonly forgotten: (typed: string) => string;
  /** Reports input that was typed while no prompt was open. */
  readonly unused: (typed: string) => string;
  /** Reports an answer that was typed after the approval had been decided elsewhere. */
  readonly notSent: (typed: string) => string;
  /** Reports a decision that was made elsewhere while the prompt was open here. */
  readonly elsewhere: (how: RemoteDecision, by: string | undefined) => string;
  readonly omitted: (size: string, command: string) => string;
  readonly waiting: string;
  readonly needs: (runId: string, decisions: number) => string;
  readonly allDecided: (runId: string, command: string) => string;
  readonly position: (position: AgentCallPosition) => string;
  readonly afterwards: string;
}

const en: ApprovalTexts = {
  message: (message) => message,
  approve: "Approve? [y/n, Enter to decide later] ",
  unclear: "Type y to approve, n to reject, or press Enter to decide later.",
  forgotten: (typed) => `ignored input typed before the prompt: ${typed}`,
  unused: (typed) => `ignored input typed while no prompt was open: ${typed}`,
  notSent: (typed) => `not sent, because the approval was decided elsewhere: ${typed}; type it again to send it`,
  elsewhere: (how, by) =>
    how === "expired" ? "expired before it was decided" : `${how} elsewhere${by === undefined ? "" : ` by ${by}`}`,
  omitted: (size, command) => `… ${size} omitted; show all with: ${command} …`,
  waiting: "waiting:",
  needs: (runId, decisions) =>
    `run ${runId} needs ${decisions === 1 ? "an approval" : formatCount(decisions, "approval")}`,
  allDecided: (runId, command) => `all approvals of run ${runId} are decided. Continue with: ${command}`,
  position: ({ part, round, call }) => `${part === undefined ? "" : `${part}, `}round ${round}, call ${call}`,
  afterwards: "both approve and reject resume the run; after reject it continues without the call",
};

const zh: ApprovalTexts = {
  message: (message) =>
    message.replace(
      /^Allow (.+) to run with these arguments\?/s,
      (_all, tool: string) => `是否允许以这些参数调用 ${tool}？`,
    ),
  approve: "是否批准？[y/n，按回车键稍后决定] ",
  unclear: "请输入 y 批准、n 拒绝，或直接按回车键稍后决定。",
  forgotten: (typed) => `已忽略提示出现之前的输入：${typed}`,
  unused: (typed) => `已忽略没有提示时的输入：${typed}`,
  notSent: (typed) => `未发送，因为该审批已在别处处理：${typed}；再次输入即可发送`,
  elsewhere: (how, by) => {
    if (how === "expired") return "已过期，未及时处理";
    return `已在别处${how === "approved" ? "批准" : "拒绝"}${by === undefined ? "" : `（${by}）`}`;
  },
  omitted: (size, command) => `… 已省略 ${size}，可用 ${command} 查看全部 …`,
  waiting: "等待审批：",
  needs: (runId, decisions) => `运行 ${runId} 有 ${decisions} 个待处理的审批`,
  allDecided: (runId, command) => `运行 ${runId} 的审批均已处理，可用 ${command} 恢复`,
  position: ({ part, round, call }) => `${part === undefined ? "" : `${part}，`}第 ${round} 轮，第 ${call} 次调用`,
  afterwards: "批准或拒绝后运行都会继续；拒绝时跳过该调用",
};

/** Approval texts by language. */
export const approvalTexts: Readonly<Record<ReasoningLanguage, ApprovalTexts>> = { en, zh };
