import { valueAt } from "../../schema/index.ts";
import { jsonText } from "../../base/index.ts";
import { fairShare, fenceData, fencedDataRule, stripUnsafe } from "../../text/index.ts";
import type { EntryTemplate, ToolPrompt } from "../../tool/index.ts";

/** A prompt, ready to be sent. */
export interface FilledPrompt {
  readonly system: string;
  readonly prompt: string;
  /** True if part of an input was omitted. */
  readonly truncated: boolean;
}

/** Maximum of all inputs together; about what a model with a context window of 32,000 tokens can read. */
const maxChars = 100_000;
const maxInlineLength = 200;

/**
 * Inserts values into a prompt, as data. A reference alone on its line becomes a delimited block; one inside a line
 * becomes a short quoted text. A paragraph whose reference has no value is omitted; a value that no reference names is
 * added at the end.
 */
export function fillPrompt(
  { system, message }: Pick<ToolPrompt, "system" | "message">,
  values: Readonly<Record<string, unknown>>,
): FilledPrompt {
  const filler = new Filler(values);
  const paragraphs = paragraphsOf(message).flatMap((lines) => filler.fill(lines));
  return {
    system: [system.trim(), fencedDataRule].filter((part) => part !== "").join("\n\n"),
    prompt: [...paragraphs, ...filler.rest()].filter((part) => part !== "").join("\n\n"),
    truncated: filler.truncated,
  };
}

/** The paragraphs of a text, between its blank lines; each a list of lines. */
function paragraphsOf(message: EntryTemplate): EntryTemplate[][] {
  const paragraphs: EntryTemplate[][] = [[]];
  for (const line of linesOf(message)) {
    if (line.every(isBlank)) paragraphs.push([]);
    else paragraphs.at(-1)?.push(line);
  }
  return paragraphs;
}

function linesOf(message: EntryTemplate): EntryTemplate[] {
  const lines: EntryTemplate[number][][] = [[]];
  for (const part of message) {
    const [first, ...more] = typeof part === "string" ? part.split("\n") : [part];
    if (first !== undefined) lines.at(-1)?.push(first);
    for (const text of more) lines.push([text]);
  }
  return lines;
}

function isBlank(part: EntryTemplate[number]): boolean {
  return typeof part === "string" && part.trim() === "";
}

function hasContent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

class Filler {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #room: number;
  readonly #used = new Set<string>();
  truncated = false;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = Object.fromEntries(Object.entries(values).filter(([, value]) => hasContent(value)));
    const lengths = Object.values(this.#values).map((value) => dataText(value).length);
    this.#room = fairShare(lengths, maxChars);
  }

  fill(lines: readonly EntryTemplate[]): string[] {
    const references = lines.flat().filter((part) => typeof part !== "string");
    if (references.some(({ path }) => !hasContent(valueAt(this.#values, path)))) return [];
    for (const { path } of references) this.#used.add(String(path[0]));
    return [
      lines
        .map((line) => this.#fillLine(line))
        .join("\n")
        .trim(),
    ];
  }

  /** Returns the values that no reference named. */
  rest(): string[] {
    return Object.keys(this.#values)
      .filter((name) => !this.#used.has(name))
      .map((name) => `${name}:\n${this.#block([name])}`);
  }

  #fillLine(line: EntryTemplate): string {
    const [only, ...more] = line.filter((part) => !isBlank(part));
    if (only !== undefined && typeof only !== "string" && more.length === 0) return this.#block(only.path);
    return line.map((part) => (typeof part === "string" ? part : inline(valueAt(this.#values, part.path)))).join("");
  }

  #block(path: readonly (string | number)[]): string {
    const { text, truncated } = showData(valueAt(this.#values, path), this.#room);
    this.truncated ||= truncated;
    return fenceData(path.join("."), text);
  }
}

function inline(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = stripUnsafe(typeof value === "string" ? value : JSON.stringify(value))
    .replaceAll(/\s+/g, " ")
    .trim();
  return JSON.stringify(text.length > maxInlineLength ? `${text.slice(0, maxInlineLength).toWellFormed()}…` : text);
}

const cutMark = "…[cut]";
/** Texts inside a value are shortened to this before its end is dropped. */
const shortest = 200;

/** A value as text for a model; one that is longer than `maxChars` is truncated, with a note. */
function showData(value: unknown, maxChars: number): { readonly text: string; readonly truncated: boolean } {
  const whole = dataText(value);
  if (whole.length <= maxChars) return { text: whole, truncated: false };
  if (typeof value === "object" && value !== null) {
    for (let max = maxChars / 2; max >= shortest; max /= 2) {
      const text = dataText(shortened(value, max));
      if (text.length <= maxChars) return { text, truncated: true };
    }
  }
  return { text: whole.slice(0, maxChars).toWellFormed() + cutMark, truncated: true };
}

/** Returns a value as text for a model. */
function dataText(value: unknown): string {
  if (typeof value === "string") return stripUnsafe(value);
  const json = jsonText(value);
  return "text" in json ? stripUnsafe(JSON.stringify(JSON.parse(json.text), undefined, 1)) : String(value);
}

function shortened(value: unknown, max: number): unknown {
  if (typeof value === "string") return value.length > max ? value.slice(0, max).toWellFormed() + cutMark : value;
  if (Array.isArray(value)) return value.map((item) => shortened(item, max));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item, max)]));
}
