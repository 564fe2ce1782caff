import type { TurnToolCall } from "../../../model/index.ts";
import { parseArguments } from "../../../schema/index.ts";
import { stripUnsafe } from "../../../text/index.ts";

const mostTerms = 12;
const longestTerm = 80;
/** More of an answer is not looked at. */
const farthest = 20_000;
const line =
  /^[^\S\n]{0,8}[*_#>-]{0,4}[^\S\n]{0,8}(?:salient[_ ]?terms?|search[_ ]?terms?|terms?|keywords?|关键词|关键字|搜索词)[ *_]{0,4}[:：](.+)$/imu;

/** The words that matter, as a model that plans told them: in a line of their own, or with a call that takes them. */
export function planTerms(text: string, calls: readonly TurnToolCall[]): string[] {
  const told = line.exec(text.slice(0, farthest))?.[1]?.split(/[,，、;；|]/u) ?? [];
  const passed = calls.flatMap((call) => (call.broken === undefined ? passedBy(call) : []));
  return cleanTerms([...told, ...passed]);
}

/** Terms as somebody wrote them: without quotes and brackets, none twice, and not too many. */
export function cleanTerms(written: readonly unknown[]): string[] {
  const terms = new Map<string, string>();
  for (const one of written) {
    if (typeof one !== "string" || one.length > 2 * longestTerm) continue;
    const term = stripUnsafe(one)
      .trim()
      .replaceAll(/^[["'“”‘’「」`(]+|[\]"'“”‘’「」`).。]+$/gu, "")
      .trim();
    const key = term.toLowerCase();
    if (term !== "" && term.length <= longestTerm && !terms.has(key)) terms.set(key, term);
  }
  return [...terms.values()].slice(0, mostTerms);
}

function passedBy({ input }: TurnToolCall): unknown[] {
  const { value } = { value: undefined, ...parseArguments(input === "" ? "{}" : input) };
  const terms: unknown = value?.["salientTerms"] ?? value?.["salient_terms"];
  return Array.isArray(terms) ? terms : [];
}
