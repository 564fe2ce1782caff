/** Markup around a part of a line. */
export type InlineMark =
  | { readonly kind: "strong" | "emphasis" | "code" }
  | { readonly kind: "link"; readonly url: string | undefined };

interface Frame {
  readonly mark: InlineMark;
  text: string;
}

/** Deeper nesting would not be visible to a reader. */
const maxFrames = 32;

/** Characters that documentation puts after a heading as a link to itself. */
const permalink = /^\s*[¶#§🔗]\s*$/u;

/** Writes the text of one block: runs of white space become one space, and marks surround their content. */
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

  /** Writes markup unchanged. */
  raw(markup: string): void {
    this.#append(markup);
  }

  open(mark: InlineMark): void {
    if (this.#frames.length < maxFrames) this.#frames.push({ mark, text: "" });
  }

  /** Ends the innermost mark of this kind; does nothing if a block has already ended it. */
  close(kind: InlineMark["kind"]): void {
    if (this.#frames.at(-1)?.mark.kind !== kind) return;
    const frame = this.#frames.pop();
    if (frame !== undefined) this.#append(this.#marked(frame));
  }

  /** Returns everything so far, as lines. Marks that are still open are dropped. */
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
    return before + wrapMark(inner, mark) + after;
  }
}

function wrapMark(inner: string, mark: InlineMark): string {
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

/** Returns a run of backticks that is longer than any inside. */
export function fenceFor(text: string, min: number): string {
  let maxLength = 0;
  for (const [run] of text.matchAll(/`+/g)) maxLength = Math.max(maxLength, run.length);
  return "`".repeat(Math.max(min, maxLength + 1));
}

/** Returns an address for the parentheses of a link. */
export function markdownAddress(url: string): string {
  return url.replaceAll("(", "%28").replaceAll(")", "%29").replaceAll(/\s/g, "%20");
}
