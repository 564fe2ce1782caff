import { plainJsonSize } from "../../base/index.ts";
import { formatResult } from "../../hub/index.ts";
import { cutText, stripUnsafe } from "../../text/index.ts";
import type { ToolResult } from "../../tool/index.ts";
import type { AgentRun } from "./agent-run.ts";
import { inPairs } from "./in-pairs.ts";

const longest = 200;
/** What is larger is not looked through for a few words. */
const mostRead = 1_000_000;

/** A few words on what a call gave, for people. Secrets go before anything is cut: the rest of one does not look like it. */
export function summaryOf(run: AgentRun, result: ToolResult): string {
  if (!result.success) return cutText(stripUnsafe(String(run.shown(result.error.message))), longest).text;
  const { output } = result;
  const isText = typeof output === "string";
  if (!isText && plainJsonSize(output, mostRead) === Infinity) return `more than ${mostRead} characters of JSON`;
  const shown = run.shown(isText ? output.slice(0, mostRead) : output);
  const words = inPairs(shown, run.timezone) ?? shown;
  return formatResult({ ...result, output: words }, "other", { other: longest }).text.replaceAll(/\s+/g, " ");
}
