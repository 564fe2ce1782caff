import { fail } from "../../base/index.ts";
import { stripUnsafe, suggest } from "../../text/index.ts";
import { dataBlock, dataRule } from "./data-block.ts";

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

/**
 * Puts inputs into a prompt, as data. A placeholder alone on its line becomes a block that is set apart; one inside a
 * line becomes a short quoted text. A paragraph whose placeholder has no value is left out; an input that no
 * placeholder names is added at the end.
 */
export function fillPrompt({ template, file, values }: PromptParts): FilledPrompt {
  const { instructions, question } = splitTemplate(template);
  checkNames(instructions, question, { file, values });
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const filler = new Filler(new Map(given), Math.floor(mostChars / Math.max(1, given.length)));
  const paragraphs = question.split(/\n[^\S\n]*\n/).flatMap((paragraph) => filler.fill(paragraph.trim()));
  const prompt = [...paragraphs, ...filler.rest()].filter((text) => text !== "").join("\n\n");
  return {
    system: [instructions, dataRule].filter((text) => text !== "").join("\n\n"),
    prompt,
    truncated: filler.truncated,
  };
}

function splitTemplate(template: string): { readonly instructions: string; readonly question: string } {
  const [instructions = "", ...question] = stripUnsafe(template).split(/^---[^\S\n]*$/m);
  return { instructions: instructions.trim(), question: question.join("---").trim() };
}

function checkNames(instructions: string, question: string, { file, values }: Omit<PromptParts, "template">): void {
  const known = Object.keys(values);
  for (const [, name = ""] of question.matchAll(placeholder)) {
    if (Object.hasOwn(values, name)) continue;
    const near = suggest(name, known);
    const meant = near === undefined ? "" : `; did you mean {{${near}}}?`;
    throw fail(`${file} uses {{${name}}}, but its inputs are ${known.join(", ")}${meant}`, {
      code: "file_invalid",
      reason: "bad_prompt",
      retry: "never",
    });
  }
  const [, early] = new RegExp(placeholder).exec(instructions) ?? [];
  if (early === undefined) return;
  throw fail(`${file} uses {{${early}}} among its instructions; inputs are data and belong below a line of ---`, {
    code: "file_invalid",
    reason: "bad_prompt",
    retry: "never",
  });
}

class Filler {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #room: number;
  readonly #used = new Set<string>();
  truncated = false;

  constructor(values: ReadonlyMap<string, unknown>, room: number) {
    this.#values = values;
    this.#room = room;
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
