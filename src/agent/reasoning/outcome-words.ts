import type { ToolFinished } from "../agent-event.ts";
import type { ReasoningLanguage } from "./reasoning-block.ts";
import { shortLine } from "./short-line.ts";

/** So many of what was found are named. */
const mostNamed = 3;
const longestName = 60;

/** What came of a call, in words: `found 5: Piano practice.md, Scales.md, …`, or what it gave. */
export function outcomeWords({ success, found, summary, error }: ToolFinished, language: ReasoningLanguage): string {
  if (!success) return shortLine(error?.message ?? summary, 200);
  if (found === undefined) return shortLine(summary, 120);
  const { count, names } = found;
  if (count === 0) return language === "zh" ? "没有找到" : "nothing found";
  const some = names.slice(0, mostNamed).map((name) => shortLine(name, longestName));
  if (language === "zh") {
    return `找到 ${count} 条${some.length === 0 ? "" : `：${some.join("、")}${count > some.length ? "……" : ""}`}`;
  }
  return `found ${count}${some.length === 0 ? "" : `: ${some.join(", ")}${count > some.length ? ", …" : ""}`}`;
}

/** A call that was not made, since it had been. */
export function sameWords(tool: string, language: ReasoningLanguage): string {
  const name = shortLine(tool, longestName);
  return language === "zh" ? `${name}：与之前的调用相同` : `${name}: the same call as before`;
}
