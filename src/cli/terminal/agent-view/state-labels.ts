import type { ReasoningBlock } from "../../../agent/index.ts";
import { formatDuration } from "../../../text/index.ts";
import { cliTexts } from "../texts/cli-texts.ts";
import type { Style } from "../terminal.ts";

const styles: Readonly<Record<ReasoningBlock["state"], Style>> = {
  thinking: "cyan",
  working: "cyan",
  answering: "cyan",
  waiting: "yellow",
  interrupted: "yellow",
  completed: "green",
  failed: "red",
  cancelled: "yellow",
};

/** State of a run in a word, with its style. */
export function stateLabel({ state, language }: ReasoningBlock): readonly [word: string, style: Style] {
  return [cliTexts[language].block.states[state], styles[state]];
}

/** `2.3 s`, in tenths, so that the unit does not keep changing. */
export function elapsedLabel(ms: number, language: ReasoningBlock["language"]): string {
  const time = ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms);
  return cliTexts[language].block.elapsed(time);
}
