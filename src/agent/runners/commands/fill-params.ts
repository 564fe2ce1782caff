import { isRecord, put } from "../../../schema/index.ts";

/** What stands for what in the parameters of a command. */
export interface Filling {
  /** What follows the command; the question where nothing does. */
  readonly text: string;
  /** The message without its commands. */
  readonly question: string;
  /** The words in it that matter. */
  readonly terms: readonly string[];
}

const placeholder = /\$\{\s*(text|question|terms)\s*\}/gu;
const alone = /^\$\{\s*terms\s*\}$/u;
const deepest = 20;

/** Parameters with what was asked in them: `${terms}` alone is the list of them, and within a text they are in a row. */
export function fillParams(value: unknown, filling: Filling, depth = 0): unknown {
  if (typeof value === "string") return fillText(value, filling);
  if (depth >= deepest) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => fillParams(item, filling, depth + 1));
  if (!isRecord(value)) return value;
  const filled: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) put(filled, key, fillParams(item, filling, depth + 1));
  return filled;
}

function fillText(text: string, { terms, ...texts }: Filling): unknown {
  if (alone.test(text)) return [...terms];
  return text.replaceAll(placeholder, (_whole, name: "text" | "question" | "terms") =>
    name === "terms" ? terms.join(" ") : texts[name],
  );
}
