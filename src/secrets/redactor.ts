import { type SecretFinder, type SecretSpan, createSecretFinder } from "./find-secrets.ts";
import { type RedactionRules, hasSecretName, redactValue, redactedMarker } from "./redact-value.ts";
import {
  type RedactedStream,
  type RedactedStreamDeps,
  createRedactedStream,
  type FlushRule,
} from "./redacted-stream.ts";
import { findTokens } from "./find-tokens.ts";

/**
 * Redacts secrets in everything that leaves the process: records, logs, events, errors. Linear in its input; never
 * throws.
 */
export interface Redactor {
  readonly text: (text: string) => string;
  /** The same reference if there was nothing to redact, else a copy. */
  readonly value: (value: unknown) => unknown;
  /**
   * Redacts only the known secrets, for output that a caller requested: a session or a password that a tool created for
   * the caller must stay visible.
   */
  readonly known: (value: unknown) => unknown;
  /**
   * Redacts only known secrets in a text, such as a message of a user or a model: text that only looks like a secret
   * may be code there.
   */
  readonly knownText: (text: string) => string;
  /**
   * Like `knownText`, for the stored form of a run: secrets of fewer than 8 characters stay, because ordinary text
   * contains such words, and the run resumes with it.
   */
  readonly storedText: (text: string) => string;
  /** Like `known`, but field names stay unchanged: only the values of fields are redacted. */
  readonly knownTexts: (value: unknown) => unknown;
  /** True if there is any secret to search for. If not, `known` and its variants skip the scan. */
  readonly knowsAny: () => boolean;
  /**
   * Like `text`, for one line of a log: also redacts half of a known secret, at its beginning or end, because the other
   * half may be in the line before or after.
   */
  readonly line: (text: string) => string;
  /** Like `text`, for names and ids that occur again and again, such as those of tools and conversations. */
  readonly label: (text: string) => string;
  /** For text that arrives in chunks, with a secret possibly split over two of them. */
  readonly stream: () => RedactedStream;
  /** Redacts only the known secrets: text that cannot be a part of one is emitted immediately. */
  readonly knownStream: () => RedactedStream;
}

/** A redactor to which secrets can be added while it is used. */
export interface GrowingRedactor extends Redactor {
  /** Redacts these from now on, too. */
  readonly add: (secrets: Iterable<string>) => void;
}

/**
 * Creates a redactor for known secrets (plain, percent-encoded once or twice, base64, hex, JSON- or HTML-escaped,
 * wrapped over lines), values under sensitive names (`password`, `Authorization`, …) and tokens of known formats. Secrets of fewer than
 * four characters are not searched.
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
  let longFinder: SecretFinder | undefined;
  const find = (text: string): SecretSpan[] => merge([...finder.find(text), ...findTokens(text)]);
  const without = (input: string, spans: SecretSpan[]): string =>
    spans.length === 0 ? input : redactSpans(input, spans);
  const text = (input: string): string => (input.length < 4 ? input : without(input, find(input)));
  const labels = new LabelCache(text);
  const findKnown = (text: string): SecretSpan[] => merge(finder.find(text));
  const knownText = (input: string): string => (input.length < 4 ? input : without(input, findKnown(input)));
  const rules: RedactionRules = { text, name: text, isRedacted: hasSecretName };
  const knownRules: RedactionRules = { text: knownText, name: knownText, isRedacted: () => false };
  const textRules: RedactionRules = { ...knownRules, name: (name) => name };
  const parts: RedactedStreamDeps = { find, redact: redactSpans, openEnd: (input) => finder.openEnd(input) };
  return {
    add: (more) => {
      const before = known.size;
      for (const secret of more) known.add(secret);
      if (known.size === before) return;
      finder = createSecretFinder(known);
      longFinder = undefined;
      labels.clear();
    },
    text,
    line: (input) => {
      const shown = text(input);
      return shown === input ? without(input, merge(finder.findHalves(input))) : shown;
    },
    label: (label) => labels.get(label),
    value: (value) => redactValue(value, rules),
    // Skips the scan if there is no secret to search for.
    known: (value) => (finder.isEmpty ? value : redactValue(value, knownRules)),
    knownText,
    storedText: (input) => {
      if (input.length < shortestStored || finder.isEmpty) return input;
      longFinder ??= createSecretFinder([...known].filter(({ length }) => length >= shortestStored));
      return longFinder.isEmpty ? input : without(input, merge(longFinder.find(input)));
    },
    knownTexts: (value) => (finder.isEmpty ? value : redactValue(value, textRules)),
    knowsAny: () => !finder.isEmpty,
    stream: () => createRedactedStream(parts, flushWholeLines),
    knownStream: () => createRedactedStream({ ...parts, find: findKnown }, flushAll),
  };
}

/** Shortest secret that is redacted in the stored form of runs. */
const shortestStored = 8;

/** Maximum number of labels whose redacted form is remembered. */
const maxLabels = 1000;

/** Remembers the redacted form of labels: every event and record of a call has several. */
class LabelCache {
  readonly #redact: (text: string) => string;
  readonly #labels = new Map<string, string>();
  /** The label that was requested last, as most calls are of one tool. */
  #last = "";
  #lastRedacted = "";

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  get(label: string): string {
    if (label === this.#last) return this.#lastRedacted;
    let redacted = this.#labels.get(label);
    if (redacted === undefined) {
      redacted = this.#redact(label);
      if (this.#labels.size >= maxLabels) this.clear();
      this.#labels.set(label, redacted);
    }
    this.#last = label;
    this.#lastRedacted = redacted;
    return redacted;
  }

  clear(): void {
    this.#last = this.#lastRedacted = "";
    this.#labels.clear();
  }
}

/** Sorted, with overlapping and adjacent spans merged. */
function merge(spans: SecretSpan[]): SecretSpan[] {
  if (spans.length < 2) return spans;
  const merged: [number, number][] = [];
  for (const [start, end] of spans.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

function redactSpans(text: string, spans: readonly SecretSpan[]): string {
  let result = "";
  let at = 0;
  for (const [start, end] of spans) {
    result += text.slice(at, start) + redactedMarker;
    at = end;
  }
  return result + text.slice(at);
}

/** A line longer than this is shown in parts. */
const maxLineLength = 16_384;

/** Whole lines: names and values, headers and URLs do not span lines. */
const flushWholeLines: FlushRule = {
  opens: (piece, unshown) => piece.includes("\n") || unshown > maxLineLength,
  cut: (text, shownTo) => {
    const line = Math.max(text.lastIndexOf("\n") + 1, shownTo);
    return text.length - line > maxLineLength ? wordStart(text, text.length - maxLineLength / 2, line) : line;
  },
};

/** Everything received so far: only known secrets are redacted. */
const flushAll: FlushRule = { opens: () => true, cut: (text) => text.length };

/** Start of the word that precedes an offset; the offset itself if it is not in a word. */
function wordStart(text: string, offset: number, min: number): number {
  let at = offset;
  while (at > min && isInWord(text.charCodeAt(at - 1))) at--;
  return at;
}

function isInWord(unit: number): boolean {
  return unit >= 0x21 && unit <= 0x7e;
}

/** On the global object, so that two copies of Windlass in one process share it. */
const registry = Symbol.for("windlass.process_secrets");

/**
 * Remembers the secrets of a workspace or an engine for what this process writes without one, such as recordings of
 * models.
 */
export function rememberSecrets(values: Iterable<string>): void {
  const remembered = processSecrets();
  for (const value of values) remembered.add(value);
}

/** Secrets of every workspace and engine that this process has opened. */
export function processSecrets(): Set<string> {
  // Only this file writes it.
  const owner = globalThis as { [registry]?: Set<string> };
  owner[registry] ??= new Set();
  return owner[registry];
}
