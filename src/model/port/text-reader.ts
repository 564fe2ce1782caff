/** A piece of model text. */
export interface ModelTextPiece {
  readonly kind: "text" | "thinking";
  readonly text: string;
}

/** Reads a text that arrives in chunks of any size. */
export interface TextReader {
  push(text: string): readonly ModelTextPiece[];
  /** Returns the text that was held back. */
  end(): readonly ModelTextPiece[];
}

/** Options of {@link createTextReader}. */
export interface TextReaderOptions {
  /**
   * Some templates open the thinking block before the model begins, so that only its end is visible. Text counts as
   * thinking only if a closing tag follows that cannot be part of a text, and never after it was returned.
   */
  readonly unopened?: boolean;
  /** With `unopened`: the model thinks before every response, so text is held back until a tag decides what it is. */
  readonly alwaysThinks?: boolean;
}

/**
 * Removes markup that servers leave in a model's text: thinking in tags at its beginning, lines that name the speaker
 * before it, end-of-turn tokens after it. Tags may be split over chunks; markup in the middle of a text is text.
 *
 * @example
 * ```ts
 * const reader = createTextReader();
 * reader.push("<think>Count.</think>42"); // thinking: "Count.", text: "42"
 * reader.end();
 * ```
 *
 * @see docs/guide/model-adapters.md
 */
export function createTextReader(options: TextReaderOptions = {}): TextReader {
  return new MarkupReader(options);
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
/** First characters of all markers; other text needs no further check. */
const markFirst = /^[<◁a]/i;
const beginnings = [...closers.keys(), ...speakers];
const anyTag = /<\/?think(?:ing)?>|◁\/?think▷/;
const maxTagLength = "</thinking>".length;

type ReaderState = "begin" | "unopened" | "text" | "thinking";

class MarkupReader implements TextReader {
  readonly #options: TextReaderOptions;
  #state: ReaderState = "begin";
  #held = "";
  /** Unopened: the last characters that were searched for a tag; undefined once one was found. */
  #searched: string | undefined = "";
  #closer = "";
  #repaired = false;
  /** The thinking has not begun yet, except for the line of its tag. */
  #isNew = false;

  constructor(options: TextReaderOptions) {
    this.#options = options;
  }

  push(text: string): readonly ModelTextPiece[] {
    this.#held += text;
    if (this.#state === "unopened" && !this.#hasTag(text)) return [];
    const pieces: ModelTextPiece[] = [];
    while (this.#step(pieces));
    return pieces;
  }

  end(): readonly ModelTextPiece[] {
    const left = this.#held;
    this.#held = "";
    if (this.#state === "thinking") return piece("thinking", left);
    if (this.#state !== "begin") return piece("text", withoutTurnEnd(left));
    return left.trim() === "" || (this.#repaired && speakerLine.test(left.trim())) ? [] : piece("text", left);
  }

  /** Continues reading; false if more text is needed first. */
  #step(pieces: ModelTextPiece[]): boolean {
    if (this.#state === "begin") return this.#begin();
    if (this.#state === "unopened") return this.#classify(pieces);
    return this.#state === "thinking" ? this.#think(pieces) : this.#read(pieces);
  }

  #begin(): boolean {
    const text = this.#held.trimStart();
    if (text === "") return false;
    return markFirst.test(text) ? this.#beginMarked(text) : this.#beginText(text);
  }

  #beginMarked(text: string): boolean {
    const tag = opened.exec(text)?.[0];
    if (tag !== undefined) {
      this.#closer = closers.get(tag) ?? "";
      this.#isNew = true;
      return this.#enter("thinking", text.slice(tag.length));
    }
    const speaker = speakers.find((name) => text.startsWith(name)) ?? lineIn(text);
    if (speaker !== undefined) return this.#enter("begin", text.slice(speaker.length));
    if (beginnings.some((start) => start.startsWith(text)) || mayBeLine(text)) return false;
    return this.#beginText(text);
  }

  #beginText(text: string): boolean {
    if (this.#repaired) return this.#enter("text", text);
    return this.#enter(this.#options.unopened === true ? "unopened" : "text", this.#held);
  }

  /** Searches chunks one by one: searching all held text again for each chunk would take quadratic time. */
  #hasTag(chunk: string): boolean {
    if (this.#searched === undefined) return true;
    const searched: string = this.#searched + chunk;
    this.#searched = anyTag.test(searched) ? undefined : searched.slice(-maxTagLength);
    return this.#searched === undefined;
  }

  /** Decides whether the held text is thinking. Its first tag decides, because text must never be lost. */
  #classify(pieces: ModelTextPiece[]): boolean {
    const tag = anyTag.exec(this.#held);
    const isEnd = tag === null ? undefined : endsThinking(this.#held, tag);
    if (tag !== null && isEnd === true) {
      pieces.push(...piece("thinking", this.#held.slice(0, tag.index)));
      return this.#enter("begin", this.#held.slice(tag.index + tag[0].length));
    }
    if (isEnd === false || this.#options.alwaysThinks !== true) return this.#enter("text", this.#held);
    this.#searched = tag === null ? this.#held.slice(-maxTagLength) : undefined;
    return false;
  }

  #enter(state: ReaderState, held: string): boolean {
    if (state === "begin" || state === "thinking") this.#repaired = true;
    this.#state = state;
    this.#held = held;
    return true;
  }

  #think(pieces: ModelTextPiece[]): boolean {
    if (this.#isNew) this.#held = this.#held.trimStart();
    if (this.#held === "") return false;
    this.#isNew = false;
    const end = this.#held.indexOf(this.#closer);
    if (end >= 0) {
      pieces.push(...piece("thinking", this.#held.slice(0, end)));
      return this.#enter("begin", this.#held.slice(end + this.#closer.length));
    }
    this.#give(pieces, "thinking", this.#held.length - heldBack(this.#held, [this.#closer]));
    return false;
  }

  #read(pieces: ModelTextPiece[]): boolean {
    if (!this.#held.includes("<")) {
      this.#give(pieces, "text", this.#held.length);
      return false;
    }
    const tail = this.#held.length - withoutTurnEnd(this.#held).length;
    this.#give(pieces, "text", this.#held.length - (tail > 0 ? tail : heldBack(this.#held, turnEnds)));
    return false;
  }

  #give(pieces: ModelTextPiece[], kind: "text" | "thinking", length: number): void {
    pieces.push(...piece(kind, this.#held.slice(0, length)));
    this.#held = this.#held.slice(length);
  }
}

function piece(kind: "text" | "thinking", text: string): ModelTextPiece[] {
  return text === "" ? [] : [{ kind, text }];
}

/**
 * True if this tag ends thinking that was opened before the text: it follows a complete sentence or line outside of
 * code, and the response begins on a new line. False if it may be part of a text. Undefined if more text is needed.
 */
function endsThinking(text: string, { 0: tag, index }: RegExpExecArray): boolean | undefined {
  const before = text.slice(0, index);
  if (tag !== "</think>" || !/(?:^|\n)[ \t]*$|[.!?…。！？]$/.test(before) || /[:：,，]$/.test(before.trimEnd()))
    return false;
  if ((before.match(/^[ \t]*(?:```|~~~)/gm)?.length ?? 0) % 2 === 1) return false;
  const after = text.slice(index + tag.length);
  if (after.trim() === "" && after.length < 100) return undefined;
  return /^[ \t]*\r?\n/.test(after);
}

function lineIn(text: string): string | undefined {
  const line = speakerLine.exec(text)?.[0];
  return line?.endsWith("\n") === true ? line : undefined;
}

function mayBeLine(text: string): boolean {
  return text.length < 40 && ("assistant".startsWith(text.toLowerCase()) || speakerLine.test(text));
}

/** The text without end-of-turn tokens at its end. */
function withoutTurnEnd(text: string): string {
  let rest = text;
  for (;;) {
    const trimmed = rest.trimEnd();
    const end = turnEnds.find((token) => trimmed.endsWith(token));
    if (end === undefined) return rest;
    rest = trimmed.slice(0, -end.length);
  }
}

/** Number of characters at the end of a text that may begin a marker. */
export function heldBack(text: string, marks: readonly string[]): number {
  const maxLength = Math.max(...marks.map(({ length }) => length)) - 1;
  for (let length = Math.min(maxLength, text.length); length > 0; length--) {
    const tail = text.slice(text.length - length);
    if (marks.some((mark) => mark.startsWith(tail))) return length;
  }
  return 0;
}
