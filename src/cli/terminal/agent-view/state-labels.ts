import type { ReasoningBlock } from "../../../agent/index.ts";
import { formatDuration } from "../../../text/index.ts";
import type { Style } from "../terminal.ts";

type Word = readonly [style: Style, words: Readonly<Record<ReasoningBlock["language"], string>>];

const states: Readonly<Record<ReasoningBlock["state"], Word>> = {
  thinking: ["cyan", { en: "thinking", zh: "思考中" }],
  working: ["cyan", { en: "working", zh: "处理中" }],
  answering: ["cyan", { en: "answering", zh: "回答中" }],
  waiting: ["yellow", { en: "waiting for approval", zh: "等待审批" }],
  interrupted: ["yellow", { en: "interrupted", zh: "已中断" }],
  completed: ["green", { en: "answered", zh: "已回答" }],
  failed: ["red", { en: "failed", zh: "失败" }],
  cancelled: ["yellow", { en: "cancelled", zh: "已取消" }],
};

/** State of a run in a word, with its style. */
export function stateLabel({ state, language }: ReasoningBlock): readonly [word: string, style: Style] {
  const [style, words] = states[state];
  return [words[language], style];
}

/** `2.3 s`, in tenths, so that the unit does not keep changing. */
export function elapsedLabel(ms: number, language: ReasoningBlock["language"]): string {
  const time = ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms);
  return language === "zh" ? `已用 ${time}` : time;
}
