import { parseJson } from "../../base/index.ts";
import { parseCueText } from "./parse-cue-text.ts";
import { rollUp } from "./merge-rolling-cues.ts";
import { transcriptFailure } from "./transcript-reasons.ts";
import { isRecord } from "../../schema/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import { nestsDeeperThan } from "../data/json/read-data.ts";

/** The forms of captions that can be read. */
export type CaptionFormat = "vtt" | "srt" | "json3";

/** Spoken words and their time in seconds from the beginning. */
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
  /** Number of captions whose times are invalid or run backwards. */
  readonly broken: number;
  /** The file has a time for each word, as rolling captions do. */
  readonly rolling: boolean;
}

/** Captions that were read. */
export interface Captions {
  readonly format: CaptionFormat;
  readonly segments: readonly CaptionSegment[];
  readonly broken: number;
}

/** Characters of a caption file; a day of talk has fewer. */
const maxBytes = 10 * 2 ** 20;

/**
 * Reads captions: WebVTT, SubRip (SRT) or the JSON3 of YouTube. Invalid times are repaired from their neighbors;
 * lines that rolling captions repeat are returned once.
 *
 * @example
 * ```ts
 * readCaptions("1\n00:00:01,000 --> 00:00:02,500\nHello"); // { format: "srt", segments: [{ start: 1, end: 2.5, text: "Hello" }], broken: 0 }
 * ```
 */
export function readCaptions(text: string, format: CaptionFormat = detectFormat(text)): Captions {
  if (text.length > maxBytes) {
    const message = `the captions have ${text.length} characters, at most ${maxBytes} can be read; send a part`;
    throw transcriptFailure("captions_too_large", message, { parameter: "transcript" });
  }
  const list = format === "json3" ? parseJson3(text) : parseCueText(text, format);
  const segments = rollUp(list);
  if (segments.length === 0) {
    throw transcriptFailure("no_captions", `the ${format} captions contain no text`, {
      parameter: "transcript",
    });
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
  throw transcriptFailure("unknown_captions", message, { parameter: "transcript" });
}

/** Levels of JSON3: the file, its events, their parts. */
const maxDepth = 16;

/** Reads the cues of YouTube's JSON3. */
function parseJson3(text: string): CueList {
  const events = eventsOf(text);
  const cues: Cue[] = [];
  let broken = 0;
  let last = 0;
  for (const event of events) {
    if (!isRecord(event) || !Array.isArray(event["segs"])) continue;
    const words = cueWords(event["segs"]);
    if (words === "") continue;
    const [start, duration] = [millisecondsOf(event["tStartMs"]), millisecondsOf(event["dDurationMs"] ?? 0)];
    if (start === undefined || duration === undefined) broken++;
    const begin = start ?? last;
    last = begin + (duration ?? 0);
    cues.push({ start: begin / 1000, end: last / 1000, lines: [words] });
  }
  return { cues, broken, rolling: false };
}

function eventsOf(text: string): readonly unknown[] {
  const file = nestsDeeperThan(maxDepth, text) ? undefined : parseJson(text.replace(/^\ufeff/, ""));
  if (isRecord(file) && Array.isArray(file["events"])) return file["events"];
  const message =
    "the captions look like JSON but are not JSON3: { events: [{ tStartMs, dDurationMs, segs: [{ utf8 }] }] }";
  throw transcriptFailure("unknown_captions", message, { parameter: "transcript" });
}

function cueWords(parts: readonly unknown[]): string {
  const texts = parts.map((part) => (isRecord(part) && typeof part["utf8"] === "string" ? part["utf8"] : ""));
  return stripUnsafe(texts.join("")).replaceAll(/\s+/g, " ").trim();
}

/** Times beyond a year are invalid. */
const maxLength = 366 * 86_400_000;

function millisecondsOf(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= maxLength ? value : undefined;
}
