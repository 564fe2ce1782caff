import type { TurnToolCall } from "../../../model/index.ts";
import { parseArguments } from "../../../schema/index.ts";
import { stripUnsafe } from "../../../text/index.ts";

const maxTerms = 12;
const maxTermLength = 80;
/** Longer answers are not searched beyond this. */
const maxScannedChars = 20_000;
const line =
  /^[^\S\n]{0,8}[*_#>-]{0,4}[^\S\n]{0,8}(?:salient[_ ]?terms?|search[_ ]?terms?|terms?|keywords?|关键词|关键字|搜索词)[ *_]{0,4}[:：](.+)$/imu;

/** The search terms in a model's plan: on a line of their own, or in a call that takes them. */
export function planTerms(text: string, calls: readonly TurnToolCall[]): string[] {
  const reported = line.exec(text.slice(0, maxScannedChars))?.[1]?.split(/[,，、;；|]/u) ?? [];
  const passed = calls.flatMap((call) => (call.broken === undefined ? termsInCall(call) : []));
  return cleanTerms([...reported, ...passed]);
}

/** Cleans terms: without quotes and brackets, without duplicates, limited in number. */
export function cleanTerms(written: readonly unknown[]): string[] {
  const terms = new Map<string, string>();
  for (const one of written) {
    if (typeof one !== "string" || one.length > 2 * maxTermLength) continue;
    const term = stripUnsafe(one)
      .trim()
      .replaceAll(/^[["'“”‘’「」`(]+|[\]"'“”‘’「」`).。]+$/gu, "")
      .trim();
    const key = term.toLowerCase();
    if (term !== "" && term.length <= maxTermLength && !terms.has(key)) terms.set(key, term);
  }
  return [...terms.values()].slice(0, maxTerms);
}

function termsInCall({ input }: TurnToolCall): unknown[] {
  const { value } = { value: undefined, ...parseArguments(input === "" ? "{}" : input) };
  const terms: unknown = value?.["salientTerms"] ?? value?.["salient_terms"];
  return Array.isArray(terms) ? terms : [];
}
