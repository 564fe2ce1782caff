import { type Failure, fail } from "../base/index.ts";
import { type Redactor, redactFailure } from "../secrets/index.ts";
import { maxApprovalBytes } from "./approvals.ts";

/** The parts of a redactor that stores use. */
export type RecordRedactor = Pick<Redactor, "text" | "value"> & Partial<Pick<Redactor, "label">>;

/** Values whose JSON is larger are stored as a preview. */
const maxBytes = 256 * 1024;
const previewLength = 2000;

/** Returns the JSON text of a value, redacted and of bounded size; `null` if there is no value. Never throws. */
export function valueText(value: unknown, redactor: RecordRedactor): string | null {
  return jsonTextOf(value, redactor, maxBytes).text;
}

/**
 * Returns the complete JSON text of a value for an approver, redacted; `null` if there is no value. Throws if it is too
 * large: a truncated part would be approved unseen. The redacted text may be somewhat larger than the size that was
 * measured before.
 */
export function unabridgedText(value: unknown, redactor: RecordRedactor): string | null {
  const { text, cut } = jsonTextOf(value, redactor, 2 * maxApprovalBytes);
  if (!cut) return text;
  const message = "the arguments are too large to be stored for an approval";
  throw fail(message, { code: "permission_denied", reason: "too_large", retry: "never" });
}

interface Written {
  readonly text: string | null;
  /** There is more of it. */
  readonly cut: boolean;
}

function jsonTextOf(value: unknown, redactor: RecordRedactor, max: number): Written {
  if (value === undefined) return { text: null, cut: false };
  try {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) return { text: notJson(`it is a ${typeof value}`), cut: false };
    if (exceeds(text, max)) return { text: truncated(value, text, redactor), cut: true };
    const clean = redactedText(text, redactor);
    const cut = exceeds(clean, max);
    return { text: cut ? truncated(value, clean, redactor) : clean, cut };
  } catch (error) {
    return { text: notJson(reasonOf(error)), cut: false };
  }
}

/**
 * Returns a JSON copy of a value, so that later changes do not affect the stored one. Throws if it is too large to be
 * shown in full.
 */
export function copyWhole(value: unknown): unknown {
  const text = unabridgedText(value, noRedaction);
  return text === null ? undefined : JSON.parse(text);
}

/** Redacts nothing. */
export const noRedaction: RecordRedactor = { text: (text) => text, value: (value) => value };

/**
 * Returns the JSON text of a failure; one that is too large loses its issues and the end of its messages. Never throws.
 */
export function failureText(failure: Failure, redactor: RecordRedactor): string {
  try {
    const text = JSON.stringify(redactFailure(failure, redactor.text));
    if (!exceeds(text)) return text;
  } catch {
    // An issue is not valid JSON; the short form has no issues.
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

// Redacts the JSON of the value instead of the value, to cover the output of toJSON() too.
function redactedText(text: string, redactor: RecordRedactor): string {
  const data: unknown = JSON.parse(text);
  const clean = redactor.value(data);
  return clean === data ? text : JSON.stringify(clean);
}

function exceeds(text: string, max: number = maxBytes): boolean {
  if (text.length > max) return true;
  return text.length * 3 > max && Buffer.byteLength(text) > max;
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

/** Returns the beginning of a large value, as a value: redaction needs its keys, and must not walk all of it. */
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

/** Returns the beginning of a text, redacted. Reads beyond the cut, so that no secret is split. */
function shortened(text: string, redactor: RecordRedactor): string {
  if (text.length <= previewLength) return redactor.text(text);
  const clean = redactor.text(text.slice(0, 10 * previewLength));
  const whole = text.length <= 10 * previewLength;
  // A secret that the slice split is still readable at its end, so the end is dropped.
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
