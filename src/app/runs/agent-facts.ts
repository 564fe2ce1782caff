import type { CallInitiator } from "../../agent/index.ts";
import { type Coded, type CodedTexts, type Language, type NoParams, formatDuration } from "../../text/index.ts";
import type { WireCoded } from "../wire/to-wire.ts";

/** A model request of a run; the main part has no name. */
interface RoundOf {
  readonly round?: number;
  readonly part?: string;
}

/** The facts about a step of an agent's run, or about a durable call: their codes with their parameters. */
export interface AgentFactParams {
  readonly notice: { readonly text: string; readonly notice?: WireCoded };
  readonly model_request: RoundOf & { readonly text: string; readonly ms?: number };
  /** Rounds are those of the model. `args` is JSON. A durable call is made by a program. */
  readonly called: RoundOf & {
    readonly initiator: CallInitiator | "program";
    readonly tool: string;
    readonly args?: string;
  };
  readonly approval_needed: { readonly approval: string };
  readonly outcome_unknown: NoParams;
  readonly awaits_approval: { readonly command: string };
  readonly call_failed: { readonly code?: string; readonly detail: string; readonly ms?: number };
  readonly call_succeeded: { readonly detail?: string; readonly ms?: number };
}

/** A fact about a step of an agent's run, or about a durable call, as data. */
export type AgentFact = Coded<AgentFactParams>;

type Initiator = AgentFactParams["called"]["initiator"];

const englishCallers: Readonly<Record<Initiator, string>> = {
  model: "The model called",
  runner: "The runner itself called",
  person: "A command in the prompt called",
  program: "A program called",
};

function englishRound({ round, part }: { readonly round?: number; readonly part?: string }): string {
  return round === undefined ? "" : ` in round ${round}${part === undefined ? "" : ` of ${part}`}`;
}

function englishTook(ms: number | undefined): string {
  return ms === undefined ? "" : ` It took ${formatDuration(ms)}.`;
}

const english: CodedTexts<AgentFactParams> = {
  notice: ({ text }) => `A note: ${text}.`,
  model_request: ({ text, ms, ...at }) => `Model request${englishRound(at)}: ${text}.${englishTook(ms)}`,
  called: ({ initiator, tool, args, ...at }) =>
    `${englishCallers[initiator]} ${tool}${args === undefined ? "" : ` with ${args}`}${englishRound(at)}.`,
  approval_needed: ({ approval }) => `It needed approval: ${approval}.`,
  outcome_unknown: () => "Its outcome is not known yet.",
  awaits_approval: ({ command }) => `It waits for approval: ${command}`,
  call_failed: ({ code, detail, ms }) =>
    `It failed${code === undefined ? "" : ` (${code})`}: ${detail}.${englishTook(ms)}`,
  call_succeeded: ({ detail, ms }) => `It succeeded${detail === undefined ? "" : `: ${detail}`}.${englishTook(ms)}`,
};

const chineseCallers: Readonly<Record<Initiator, string>> = {
  model: "模型",
  runner: "运行方式本身",
  person: "提问中的命令",
  program: "程序",
};

function chineseRound({ round, part }: { readonly round?: number; readonly part?: string }): string {
  return round === undefined ? "" : `（${part === undefined ? "" : `${part} 的`}第 ${round} 轮）`;
}

function chineseTook(ms: number | undefined): string {
  return ms === undefined ? "" : `用时 ${formatDuration(ms)}。`;
}

const chinese: CodedTexts<AgentFactParams> = {
  notice: ({ text }) => `注意：${text}。`,
  model_request: ({ text, ms, ...at }) => `模型请求${chineseRound(at)}：${text}。${chineseTook(ms)}`,
  called: ({ initiator, tool, args, ...at }) =>
    `${chineseCallers[initiator]}${chineseRound(at)}调用了 ${tool}${args === undefined ? "" : `，参数 ${args}`}。`,
  approval_needed: ({ approval }) => `它需要审批：${approval}。`,
  outcome_unknown: () => "结果尚不明确。",
  awaits_approval: ({ command }) => `等待审批：${command}`,
  call_failed: ({ code, detail, ms }) =>
    `失败${code === undefined ? "" : `（${code}）`}：${detail}。${chineseTook(ms)}`,
  call_succeeded: ({ detail, ms }) => `成功${detail === undefined ? "" : `：${detail}`}。${chineseTook(ms)}`,
};

/** The sentences of the facts by language. */
export const agentFactTexts: Readonly<Record<Language, CodedTexts<AgentFactParams>>> = { en: english, zh: chinese };
