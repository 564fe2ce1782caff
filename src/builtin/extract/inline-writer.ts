/** What is written around a part of a line. */
export type InlineMark =
  | { readonly kind: "strong" | "emphasis" | "code" }
  | { readonly kind: "link"; readonly url: string | undefined };

interface Frame {
  readonly mark: InlineMark;
  text: string;
}

/** Deeper nesting adds nothing that a reader could see. */
const maxFrames = 32;

/** Signs that documentation puts behind a heading as a link to itself. */
const permalink = /^\s*[¶#§🔗]\s*$/u;

/** The text of one block: runs of white space become one space, marks stand around what they mark. */
export class InlineWriter {
  readonly #markdown: boolean;
  #text = "";
  #frames: Frame[] = [];

  constructor(markdown: boolean) {
    this.#markdown = markdown;
  }

  /** Text of the document. */
  text(data: string): void {
    const line = data.replaceAll(/\s+/g, " ");
    const literal = !this.#markdown || this.#frames.some(({ mark }) => mark.kind === "code");
    this.#append(literal ? line : line.replaceAll(/[`*]|<(?=[a-z/!?]|$)|\](?=[([])/gi, String.raw`\$&`));
  }

  /** Markup that is written as it is. */
  raw(markup: string): void {
    this.#append(markup);
  }

  open(mark: InlineMark): void {
    if (this.#frames.length < maxFrames) this.#frames.push({ mark, text: "" });
  }

  /** Ends the innermost mark of this kind; nothing where a block has ended it before. */
  close(kind: InlineMark["kind"]): void {
    if (this.#frames.at(-1)?.mark.kind !== kind) return;
    const frame = this.#frames.pop();
    if (frame !== undefined) this.#append(this.#marked(frame));
  }

  /** Everything so far, as lines. Marks that are still open end without having been written. */
  take(): readonly string[] {
    const text = this.#frames.reduce((before, frame) => before + frame.text, this.#text);
    this.#text = "";
    this.#frames = [];
    const lines = text
      .replaceAll(/[^\S\n]+/g, " ")
      .split("\n")
      .map((line) => line.trim());
    while (lines.length > 0 && lines.at(-1) === "") lines.pop();
    while (lines.length > 0 && lines[0] === "") lines.shift();
    return lines;
  }

  #append(text: string): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) this.#text += text;
    else frame.text += text;
  }

  #marked({ mark, text }: Frame): string {
    if (mark.kind === "link" && permalink.test(text)) return "";
    const inner = text.trim();
    if (!this.#markdown || inner === "") return text;
    const before = text.startsWith(inner) ? "" : " ";
    const after = text.endsWith(inner) ? "" : " ";
    return before + surround(inner, mark) + after;
  }
}

function surround(inner: string, mark: InlineMark): string {
  switch (mark.kind) {
    case "strong":
      return `**${inner}**`;
    case "emphasis":
      return `*${inner}*`;
    case "code": {
      const ticks = fenceFor(inner, 1);
      const pad = inner.startsWith("`") || inner.endsWith("`") ? " " : "";
      return `${ticks}${pad}${inner.replaceAll("\n", " ")}${pad}${ticks}`;
    }
    case "link":
      return mark.url === undefined ? inner : `[${inner.replaceAll("\n", " ")}](${markdownAddress(mark.url)})`;
    default:
      return mark satisfies never;
  }
}

/** A run of backticks that is longer than any inside. */
export function fenceFor(text: string, least: number): string {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return "`".repeat(Math.max(least, longest + 1));
}

/** An address between the parentheses of a link. */
export function markdownAddress(url: string): string {
  return url.replaceAll("(", "%28").replaceAll(")", "%29").replaceAll(/\s/g, "%20");
}
