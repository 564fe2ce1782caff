import { type Span, createSecretFinder } from "./find-secrets.ts";
import { redactValue, redacted } from "./redact-value.ts";
import { type RedactedStream, type StreamParts, createRedactedStream } from "./redacted-stream.ts";
import { createRedactedWords } from "./redacted-words.ts";
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
  /** For text that arrives in pieces, a secret possibly in two of them. */
  readonly stream: () => RedactedStream;
  /** The same for text that is read while it is written: it comes in whole words, not in lines. */
  readonly words: () => RedactedStream;
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
  const ownText = (input: string): string =>
    input.length < 4 ? input : without(input, merge([...finder.find(input)]));
  const parts: StreamParts = { find, cover, openEnd: (input) => finder.openEnd(input) };
  return {
    add: (more) => {
      const before = known.size;
      for (const secret of more) known.add(secret);
      if (known.size > before) finder = createSecretFinder(known);
    },
    text,
    value: (value) => redactValue(value, text),
    // Nothing is looked through where there is nothing to be found.
    known: (value) => (finder.isEmpty ? value : redactValue(value, ownText, () => false)),
    stream: () => createRedactedStream(parts),
    words: () => createRedactedWords(parts),
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
