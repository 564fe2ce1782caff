import { parseCueText } from "./parse-cue-text.ts";
import { parseJson3 } from "./parse-json3.ts";
import { rollUp } from "./roll-up.ts";
import { worldFailure } from "./world-reasons.ts";

/** The forms of captions that can be read. */
export type CaptionFormat = "vtt" | "srt" | "json3";

/** Words and when they are said, in seconds from the beginning. */
export interface CaptionSegment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** One caption as its file has it, its lines without markup. */
export interface Cue {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** The cues of a file. */
export interface CueList {
  readonly cues: readonly Cue[];
  /** How many had times that cannot be read or run backwards. */
  readonly broken: number;
  /** The file says when each word is spoken, as captions do that roll up line by line. */
  readonly rolling: boolean;
}

/** Captions that were read. */
export interface Captions {
  readonly format: CaptionFormat;
  readonly segments: readonly CaptionSegment[];
  readonly broken: number;
}

/** Characters of a caption file; a day of talk has fewer. */
const largest = 10 * 2 ** 20;

/**
 * Reads captions: WebVTT, SubRip (SRT) or the JSON3 of YouTube. Times that are broken are mended from their
 * neighbours, lines that roll up and are therefore there twice or three times are given once.
 *
 * @example
 * ```ts
 * readCaptions("1\n00:00:01,000 --> 00:00:02,500\nHello"); // { format: "srt", segments: [{ start: 1, end: 2.5, text: "Hello" }], broken: 0 }
 * ```
 */
export function readCaptions(text: string, format: CaptionFormat = detectFormat(text)): Captions {
  if (text.length > largest) {
    const message = `the captions have ${text.length} characters, at most ${largest} can be read; send a part`;
    throw worldFailure("captions_too_large", message, { parameter: "transcript" });
  }
  const list = format === "json3" ? parseJson3(text) : parseCueText(text, format);
  const segments = rollUp(list);
  if (segments.length === 0) {
    throw worldFailure("no_captions", `no words were found in the ${format} captions`, { parameter: "transcript" });
  }
  return { format, segments, broken: list.broken };
}

function detectFormat(text: string): CaptionFormat {
  const head = text
    .slice(0, 1_000)
    .replace(/^\ufeff/, "")
    .trimStart();
  if (head.startsWith("WEBVTT")) return "vtt";
  if (head.startsWith("{")) return "json3";
  if (text.slice(0, 100_000).includes("-->")) return "srt";
  const message = "the captions are neither WebVTT, SRT nor JSON3; supply the content of such a file";
  throw worldFailure("unknown_captions", message, { parameter: "transcript" });
}
