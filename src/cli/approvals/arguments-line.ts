import { formatBytes } from "../terminal/format-figures.ts";
import { safeJson } from "../terminal/safe-json.ts";

/** About two screens; longer arguments are shown by a separate command. */
const maxCount = 10_000;

/** Arguments of a call on one line. Long arguments are cut, with the omitted size and the command that shows all. */
export function argumentsLine(args: unknown, seeAll: string): string {
  const text = safeJson(args, 0);
  if (text.length <= maxCount) return text;
  const left = Buffer.byteLength(text.slice(maxCount));
  return `${text.slice(0, maxCount).toWellFormed()}… (${formatBytes(left)} more; show all with: ${seeAll})`;
}
