import { stripUnsafe, suggest } from "../../text/index.ts";
import { dataBlock, dataRule, writtenData } from "./data-block.ts";
import { fairShare } from "./fair-share.ts";
import { writingFailure } from "./writing-reasons.ts";

/** A prompt file and what goes into it. */
export interface PromptParts {
  /** The text of the file: instructions, a line of `---`, and the question with its `{{placeholders}}`. */
  readonly template: string;
  /** Which file it is, for messages. */
  readonly file: string;
  /** Every input that the prompt may name; undefined for what the caller left out. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** A prompt, ready to be sent. */
export interface FilledPrompt {
  readonly system: string;
  readonly prompt: string;
  /** Part of an input was left out. */
  readonly truncated: boolean;
}

/** All inputs together; about what a model with a context of 32,000 tokens can read. */
const mostChars = 100_000;
const longestInline = 200;
const placeholder = /\{\{\s*([\w-]+)\s*\}\}/g;
const alone = /^\s*\{\{\s*([\w-]+)\s*\}\}\s*$/;
/** Whatever may be meant as a placeholder, right or wrong. */
const braces = /\{\{([^{}\n]*)(\}\})?/g;
const divider = /^---[^\S\n]*$/m;

/**
 * Puts inputs into a prompt, as data. A placeholder alone on its line becomes a block that is set apart; one inside a
 * line becomes a short quoted text. A paragraph whose placeholder has no value is left out; an input that no
 * placeholder names is added at the end.
 */
export function fillPrompt({ template, file, values }: PromptParts): FilledPrompt {
  const text = stripUnsafe(template);
  checkPrompt(text, { file, values });
  const [instructions, question] = splitPrompt(text);
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const filler = new Filler(new Map(given));
  const paragraphs = question.split(/\n[^\S\n]*\n/).flatMap((paragraph) => filler.fill(paragraph.trim()));
  const prompt = [...paragraphs, ...filler.rest()].filter((part) => part !== "").join("\n\n");
  return {
    system: [instructions, dataRule].filter((part) => part !== "").join("\n\n"),
    prompt,
    truncated: filler.truncated,
  };
}

/** The instructions, and the question below the first line of `---`. */
function splitPrompt(text: string): readonly [instructions: string, question: string] {
  const { index, length } = dividerOf(text);
  return [text.slice(0, index).trim(), text.slice(index + length).trim()];
}

function dividerOf(text: string): { readonly index: number; readonly length: number } {
  const found = divider.exec(text);
  return found === null ? { index: text.length, length: 0 } : { index: found.index, length: found[0].length };
}

/** Throws where a prompt cannot be meant as it is: nobody sees what is sent to a model. */
function checkPrompt(text: string, { file, values }: Omit<PromptParts, "template">): void {
  if (text.trim() === "") throw writingFailure("bad_prompt", `${file} is empty; write a prompt into it, or remove it`);
  const inputs = Object.keys(values);
  const below = dividerOf(text).index;
  for (const found of text.matchAll(braces)) {
    const wrong = wrongWith(found, inputs, below);
    if (wrong === undefined) continue;
    const known = inputs.map((input) => `{{${input}}}`).join(", ");
    const place = `${file}:${lineAt(text, found.index)}`;
    throw writingFailure("bad_prompt", `${place}: ${wrong}. The inputs of this prompt are ${known}`);
  }
}

function wrongWith(found: RegExpExecArray, inputs: readonly string[], below: number): string | undefined {
  const [written, inner = "", end] = found;
  const name = inner.trim();
  if (end === undefined) return `${JSON.stringify(written.trimEnd())} is never closed; write {{name}}, on one line`;
  if (!inputs.includes(name)) return `there is no input ${written}${didYouMean(name, inputs)}`;
  if (found.index < below) return `${written} stands among the instructions; inputs belong below a line of ---`;
  return undefined;
}

function didYouMean(name: string, inputs: readonly string[]): string {
  const near = suggest(name, inputs);
  return near === undefined ? "" : ` (did you mean {{${near}}}?)`;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

class Filler {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #room: number;
  readonly #used = new Set<string>();
  truncated = false;

  constructor(values: ReadonlyMap<string, unknown>) {
    this.#values = values;
    const lengths = [...values.values()].map((value) => writtenData(value).length);
    this.#room = fairShare(lengths, mostChars);
  }

  fill(paragraph: string): string[] {
    const names = [...paragraph.matchAll(placeholder)].map(([, name = ""]) => name);
    if (names.some((name) => !this.#values.has(name))) return [];
    for (const name of names) this.#used.add(name);
    return [
      paragraph
        .split("\n")
        .map((line) => this.#fillLine(line))
        .join("\n"),
    ];
  }

  /** What no placeholder named. */
  rest(): string[] {
    return [...this.#values.keys()]
      .filter((name) => !this.#used.has(name))
      .map((name) => `${name}:\n${this.#block(name)}`);
  }

  #fillLine(line: string): string {
    const [, name] = alone.exec(line) ?? [];
    if (name !== undefined) return this.#block(name);
    // A function, so that `$&` in a value is no pattern.
    return line.replaceAll(placeholder, (_, inner: string) => inline(this.#values.get(inner)));
  }

  #block(name: string): string {
    const { text, truncated } = dataBlock(name, this.#values.get(name), this.#room);
    this.truncated ||= truncated;
    return text;
  }
}

function inline(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = stripUnsafe(typeof value === "string" ? value : JSON.stringify(value))
    .replaceAll(/\s+/g, " ")
    .trim();
  return JSON.stringify(text.length > longestInline ? `${text.slice(0, longestInline).toWellFormed()}…` : text);
}
