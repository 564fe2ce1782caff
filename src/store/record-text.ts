import { type Failure, fail } from "../base/index.ts";
import { type Redactor, redactFailure } from "../text/index.ts";
import { maxApprovalBytes } from "./approvals.ts";

/** What stores need of a redactor. */
export type RecordRedactor = Pick<Redactor, "text" | "value">;

/** Values whose JSON is larger are kept as a preview. */
const maxBytes = 256 * 1024;
const previewLength = 2000;

/** The JSON text of a value, redacted and of bounded size; `null` where there is no value. Never throws. */
export function valueText(value: unknown, redactor: RecordRedactor): string | null {
  return textOf(value, redactor, maxBytes).text;
}

/**
 * The JSON text of what a person has to see whole, redacted; `null` where there is no value. Throws where it is too
 * large: what is cut here would be approved unseen. Redacted, it may be somewhat larger than what was measured before.
 */
export function wholeText(value: unknown, redactor: RecordRedactor): string | null {
  const { text, cut } = textOf(value, redactor, 2 * maxApprovalBytes);
  if (!cut) return text;
  const message = "the arguments are too large to be kept for a person to see and approve";
  throw fail(message, { code: "permission_denied", reason: "too_large", retry: "never" });
}

interface Written {
  readonly text: string | null;
  /** There is more of it. */
  readonly cut: boolean;
}

function textOf(value: unknown, redactor: RecordRedactor, most: number): Written {
  if (value === undefined) return { text: null, cut: false };
  try {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) return { text: notJson(`it is a ${typeof value}`), cut: false };
    if (exceeds(text, most)) return { text: truncated(value, text, redactor), cut: true };
    const clean = redactedText(text, redactor);
    const cut = exceeds(clean, most);
    return { text: cut ? truncated(value, clean, redactor) : clean, cut };
  } catch (error) {
    return { text: notJson(reasonOf(error)), cut: false };
  }
}

/** A copy of a value as JSON has it, so that nobody can change what is kept. Throws where it is too large to be shown whole. */
export function wholeValue(value: unknown): unknown {
  const text = wholeText(value, noRedaction);
  return text === null ? undefined : JSON.parse(text);
}

/** Leaves everything as it is. */
export const noRedaction: RecordRedactor = { text: (text) => text, value: (value) => value };

/** The JSON text of a failure; one that is too large loses its issues and the end of its messages. Never throws. */
export function failureText(failure: Failure, redactor: RecordRedactor): string {
  try {
    const text = JSON.stringify(redactFailure(failure, redactor.text));
    if (!exceeds(text)) return text;
  } catch {
    // An issue that JSON cannot express; the short form has none.
  }
  return shortFailure(failure, redactor);
}

function shortFailure(failure: Failure, redactor: RecordRedactor): string {
  const { code, retry } = failure;
  try {
    const message = shortened(failure.message, redactor);
    return JSON.stringify({ code, message, forModel: shortened(failure.forModel, redactor), retry });
  } catch {
    const message = "(the message could not be read)";
    return JSON.stringify({ code, message, forModel: message, retry });
  }
}

// Redacts what JSON makes of the value, not the value: what a toJSON() adds is then seen too.
function redactedText(text: string, redactor: RecordRedactor): string {
  const data: unknown = JSON.parse(text);
  const clean = redactor.value(data);
  return clean === data ? text : JSON.stringify(clean);
}

function exceeds(text: string, most: number = maxBytes): boolean {
  if (text.length > most) return true;
  return text.length * 3 > most && Buffer.byteLength(text) > most;
}

function truncated(value: unknown, text: string, redactor: RecordRedactor): string {
  const excerpt = JSON.stringify(redactor.value(excerptOf(value, { left: 4 * previewLength, redactor })));
  return JSON.stringify({
    $truncated: true,
    bytes: Buffer.byteLength(text),
    preview: excerpt.slice(0, previewLength).toWellFormed(),
  });
}

interface Budget {
  left: number;
  readonly redactor: RecordRedactor;
}

/** The beginning of a large value, as a value: redaction needs its keys, and must not walk all of it. */
function excerptOf(value: unknown, budget: Budget, depth = 0): unknown {
  budget.left -= 8;
  if (typeof value === "string") return excerptOfString(value, budget);
  if (typeof value !== "object" || value === null) return value;
  if (budget.left <= 0 || depth > 50) return "…";
  const data = hasToJson(value) ? value.toJSON() : value;
  if (data !== value) return excerptOf(data, budget, depth + 1);
  return Array.isArray(value) ? excerptOfArray(value, budget, depth) : excerptOfFields(value, budget, depth);
}

function excerptOfFields(value: object, budget: Budget, depth: number): object {
  const part: [string, unknown][] = [];
  for (const key in value) {
    if (budget.left <= 0) break;
    if (!Object.hasOwn(value, key)) continue;
    budget.left -= key.length;
    // Just checked: an own key of an object.
    part.push([key, excerptOf((value as Record<string, unknown>)[key], budget, depth + 1)]);
  }
  return Object.fromEntries(part);
}

function excerptOfArray(items: readonly unknown[], budget: Budget, depth: number): unknown[] {
  const part: unknown[] = [];
  for (const item of items) {
    if (budget.left <= 0) break;
    part.push(excerptOf(item, budget, depth + 1));
  }
  return part;
}

function excerptOfString(text: string, budget: Budget): string {
  const cut = shortened(text, budget.redactor);
  budget.left -= cut.length;
  return cut;
}

/** The beginning of a text, redacted. Reads on beyond the cut, so that no secret is met by half. */
function shortened(text: string, redactor: RecordRedactor): string {
  if (text.length <= previewLength) return redactor.text(text);
  const clean = redactor.text(text.slice(0, 10 * previewLength));
  const whole = text.length <= 10 * previewLength;
  // A secret that the slice cut in two is still readable at its end: keep clear of it.
  return `${(whole ? clean : clean.slice(0, -2 * previewLength)).slice(0, previewLength).toWellFormed()}…`;
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return "toJSON" in value && typeof value.toJSON === "function";
}

function notJson(reason: string): string {
  return JSON.stringify({ $not_json: true, reason });
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return "it is nested too deep or too large";
  if (error instanceof TypeError && /circular/i.test(error.message)) return "it contains itself";
  if (error instanceof TypeError && /BigInt/.test(error.message)) return "it holds a BigInt";
  return "reading it threw an error";
}
