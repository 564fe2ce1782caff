import { everything, wholeLines } from "./cut-rules.ts";
import { type Span, createSecretFinder } from "./find-secrets.ts";
import { type ValueRules, hasTellingName, redactValue, redacted } from "./redact-value.ts";
import { type RedactedStream, type StreamParts, createRedactedStream } from "./redacted-stream.ts";
import { findTokens } from "./token-shapes.ts";

/** Takes secrets out of everything that leaves: records, logs, events, errors. Linear in its input; never throws. */
export interface Redactor {
  readonly text: (text: string) => string;
  /** The same reference when there was nothing to take out, else a copy. */
  readonly value: (value: unknown) => unknown;
  /**
   * Only the known secrets, for what a caller asked for: a session or a password that a tool made for it is not ours to
   * hide.
   */
  readonly known: (value: unknown) => unknown;
  /** The same of a text, such as what a person or a model said: what only looks like a secret may be code there. */
  readonly knownText: (text: string) => string;
  /** The same where names are not to change: of fields, only what stands in them is looked at. */
  readonly knownTexts: (value: unknown) => unknown;
  /** Is there any secret that it looks for? Where there is none, nothing is known, and nothing need be looked through. */
  readonly knowsAny: () => boolean;
  /** For text that arrives in pieces, a secret possibly in two of them. */
  readonly stream: () => RedactedStream;
  /** Only the known secrets: everything comes at once that cannot be a part of one. */
  readonly knownStream: () => RedactedStream;
}

/** A redactor that learns of secrets while it is used. */
export interface GrowingRedactor extends Redactor {
  /** From now on these are taken out too. */
  readonly add: (secrets: Iterable<string>) => void;
}

/**
 * A redactor for known secrets (plain, percent-encoded once or twice, base64, hex, JSON- or HTML-escaped), values under telling names
 * (`password`, `Authorization`, …) and tokens of known shapes. Secrets of fewer than four characters are not looked for.
 *
 * @example
 * ```ts
 * const redactor = createRedactor(["hunter2secret"]);
 * redactor.text("sent hunter2secret"); // "sent [redacted]"
 * redactor.value({ password: "p" }); // { password: "[redacted]" }
 * ```
 */
export function createRedactor(secrets: Iterable<string>): GrowingRedactor {
  const known = new Set(secrets);
  let finder = createSecretFinder(known);
  const find = (text: string): Span[] => merge([...finder.find(text), ...findTokens(text)]);
  const without = (input: string, spans: Span[]): string => (spans.length === 0 ? input : cover(input, spans));
  const text = (input: string): string => (input.length < 4 ? input : without(input, find(input)));
  const findKnown = (text: string): Span[] => merge(finder.find(text));
  const knownText = (input: string): string => (input.length < 4 ? input : without(input, findKnown(input)));
  const rules: ValueRules = { text, name: text, isCovered: hasTellingName };
  const knownRules: ValueRules = { text: knownText, name: knownText, isCovered: () => false };
  const textRules: ValueRules = { ...knownRules, name: (name) => name };
  const parts: StreamParts = { find, cover, openEnd: (input) => finder.openEnd(input) };
  return {
    add: (more) => {
      const before = known.size;
      for (const secret of more) known.add(secret);
      if (known.size > before) finder = createSecretFinder(known);
    },
    text,
    value: (value) => redactValue(value, rules),
    // Nothing is looked through where there is nothing to be found.
    known: (value) => (finder.isEmpty ? value : redactValue(value, knownRules)),
    knownText,
    knownTexts: (value) => (finder.isEmpty ? value : redactValue(value, textRules)),
    knowsAny: () => !finder.isEmpty,
    stream: () => createRedactedStream(parts, wholeLines),
    knownStream: () => createRedactedStream({ ...parts, find: findKnown }, everything),
  };
}

/** Sorted, with overlapping and touching spans made one. */
function merge(spans: Span[]): Span[] {
  if (spans.length < 2) return spans;
  const merged: [number, number][] = [];
  for (const [start, end] of spans.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

function cover(text: string, spans: readonly Span[]): string {
  let result = "";
  let at = 0;
  for (const [start, end] of spans) {
    result += text.slice(at, start) + redacted;
    at = end;
  }
  return result + text.slice(at);
}
