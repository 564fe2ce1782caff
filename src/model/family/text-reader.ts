/** A piece of what a model wrote. After `all-thinking`, all text before it was thinking in truth. */
export type ReadPiece =
  | { readonly kind: "text" | "thinking"; readonly text: string }
  | { readonly kind: "all-thinking" };

/** Reads a text that arrives in pieces of any size. */
export interface TextReader {
  push(text: string): readonly ReadPiece[];
  /** What was held back. */
  end(): readonly ReadPiece[];
}

/** How {@link createTextReader} reads. */
export interface ReadingHabits {
  /** Some templates open the thought before the model begins, so that only its end is seen. */
  readonly unopened?: boolean;
}

/**
 * Reads what servers leave in a model's text: thoughts in tags at its beginning, lines that name the speaker before it,
 * tokens that end a turn behind it. Tags may be split over pieces; what stands in the middle of a text is text.
 */
export function createTextReader({ unopened = false }: ReadingHabits = {}): TextReader {
  return new MarkupReader(unopened);
}

const closers: ReadonlyMap<string, string> = new Map([
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["◁think▷", "◁/think▷"],
]);
const speakers = ["<|im_start|>assistant", "<|assistant|>", "<|start_header_id|>assistant<|end_header_id|>"];
const turnEnds = ["<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end|>", "<|end_of_turn|>", "</s>"];
/** The speaker's name alone on the first line. */
const speakerLine = /^assistant:?[ \t]*(?:\r?\n|\r?$)/i;
const opened = /^(?:<think(?:ing)?>|◁think▷)/;
/** What no mark begins with needs no closer look. */
const markFirst = /^[<◁a]/i;
const beginnings = [...closers.keys(), ...speakers];

class MarkupReader implements TextReader {
  readonly #unopened: boolean;
  #state: "begin" | "text" | "thinking" = "begin";
  #held = "";
  #closer = "";
  #mended = false;
  /** The thought has not begun yet, but for the line that its tag stands on. */
  #isNew = false;

  constructor(unopened: boolean) {
    this.#unopened = unopened;
  }

  push(text: string): readonly ReadPiece[] {
    this.#held += text;
    const pieces: ReadPiece[] = [];
    while (this.#step(pieces));
    return pieces;
  }

  end(): readonly ReadPiece[] {
    const left = this.#held;
    this.#held = "";
    if (this.#state === "thinking") return piece("thinking", left);
    if (this.#state === "text") return piece("text", withoutTurnEnd(left));
    return left.trim() === "" || (this.#mended && speakerLine.test(left.trim())) ? [] : piece("text", left);
  }

  /** Reads on; false where more has to come first. */
  #step(pieces: ReadPiece[]): boolean {
    if (this.#state === "begin") return this.#begin();
    return this.#state === "thinking" ? this.#think(pieces) : this.#read(pieces);
  }

  #begin(): boolean {
    const text = this.#held.trimStart();
    if (text === "") return false;
    return markFirst.test(text) ? this.#beginMarked(text) : this.#goOn("text", this.#mended ? text : this.#held);
  }

  #beginMarked(text: string): boolean {
    const tag = opened.exec(text)?.[0];
    if (tag !== undefined) {
      this.#closer = closers.get(tag) ?? "";
      this.#isNew = true;
      return this.#goOn("thinking", text.slice(tag.length));
    }
    const speaker = speakers.find((name) => text.startsWith(name)) ?? lineIn(text);
    if (speaker !== undefined) return this.#goOn("begin", text.slice(speaker.length));
    if (beginnings.some((start) => start.startsWith(text)) || mayBeLine(text)) return false;
    return this.#goOn("text", this.#mended ? text : this.#held);
  }

  #goOn(state: "begin" | "text" | "thinking", held: string): boolean {
    if (state !== "text") this.#mended = true;
    this.#state = state;
    this.#held = held;
    return true;
  }

  #think(pieces: ReadPiece[]): boolean {
    if (this.#isNew) this.#held = this.#held.trimStart();
    if (this.#held === "") return false;
    this.#isNew = false;
    const end = this.#held.indexOf(this.#closer);
    if (end >= 0) {
      pieces.push(...piece("thinking", this.#held.slice(0, end)));
      return this.#goOn("begin", this.#held.slice(end + this.#closer.length));
    }
    this.#give(pieces, "thinking", this.#held.length - heldBack(this.#held, [this.#closer]));
    return false;
  }

  #read(pieces: ReadPiece[]): boolean {
    if (!this.#held.includes("<")) {
      this.#give(pieces, "text", this.#held.length);
      return false;
    }
    const end = this.#unopened && !this.#mended ? this.#held.indexOf("</think>") : -1;
    if (end >= 0) {
      this.#give(pieces, "text", end);
      pieces.push({ kind: "all-thinking" });
      return this.#goOn("begin", this.#held.slice("</think>".length));
    }
    const tail = this.#held.length - withoutTurnEnd(this.#held).length;
    const marks = this.#unopened ? [...turnEnds, "</think>"] : turnEnds;
    this.#give(pieces, "text", this.#held.length - (tail > 0 ? tail : heldBack(this.#held, marks)));
    return false;
  }

  #give(pieces: ReadPiece[], kind: "text" | "thinking", length: number): void {
    pieces.push(...piece(kind, this.#held.slice(0, length)));
    this.#held = this.#held.slice(length);
  }
}

function piece(kind: "text" | "thinking", text: string): ReadPiece[] {
  return text === "" ? [] : [{ kind, text }];
}

function lineIn(text: string): string | undefined {
  const line = speakerLine.exec(text)?.[0];
  return line?.endsWith("\n") === true ? line : undefined;
}

function mayBeLine(text: string): boolean {
  return text.length < 40 && ("assistant".startsWith(text.toLowerCase()) || speakerLine.test(text));
}

/** The text without the tokens that end a turn, where it ends with them. */
function withoutTurnEnd(text: string): string {
  let rest = text;
  for (;;) {
    const trimmed = rest.trimEnd();
    const end = turnEnds.find((token) => trimmed.endsWith(token));
    if (end === undefined) return rest;
    rest = trimmed.slice(0, -end.length);
  }
}

/** How many characters at the end of a text may be the beginning of a mark. */
function heldBack(text: string, marks: readonly string[]): number {
  const longest = Math.max(...marks.map(({ length }) => length)) - 1;
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const tail = text.slice(text.length - length);
    if (marks.some((mark) => mark.startsWith(tail))) return length;
  }
  return 0;
}
