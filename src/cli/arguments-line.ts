import { formatBytes } from "./format-figures.ts";
import { safeJson } from "./safe-json.ts";

/** A screen or two; whoever decides on more looks at it in another way. */
const most = 10_000;

/** What a call would get, on one line. Of very much the beginning, with how much is left out and how to see it. */
export function argumentsLine(args: unknown, seeAll: string): string {
  const text = safeJson(args, 0);
  if (text.length <= most) return text;
  const left = Buffer.byteLength(text.slice(most));
  return `${text.slice(0, most).toWellFormed()}… (${formatBytes(left)} more; ${seeAll} shows all)`;
}
