import { isRecord, setOwn } from "../../../schema/index.ts";

/** Values for the variables in the parameters of a command. */
export interface ParamValues {
  /** The text after the command; the prompt if there is none. */
  readonly text: string;
  /** The message without its commands. */
  readonly prompt: string;
  /** The search terms in it. */
  readonly terms: readonly string[];
}

const placeholder = /\$\{\s*(text|prompt|terms)\s*\}/gu;
const alone = /^\$\{\s*terms\s*\}$/u;
const maxDepth = 20;

/**
 * Fills parts of the prompt into parameters: `${terms}` alone becomes the list of terms, and within a text they are
 * joined.
 */
export function fillParams(value: unknown, filling: ParamValues, depth = 0): unknown {
  if (typeof value === "string") return fillText(value, filling);
  if (depth >= maxDepth) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => fillParams(item, filling, depth + 1));
  if (!isRecord(value)) return value;
  const filled: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) setOwn(filled, key, fillParams(item, filling, depth + 1));
  return filled;
}

function fillText(text: string, { terms, ...texts }: ParamValues): unknown {
  if (alone.test(text)) return [...terms];
  return text.replaceAll(placeholder, (_whole, name: "text" | "prompt" | "terms") =>
    name === "terms" ? terms.join(" ") : texts[name],
  );
}
