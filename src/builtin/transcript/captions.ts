import { parseJson } from "../../base/index.ts";
import { rollUp } from "./merge-rolling-cues.ts";
import { transcriptFailure } from "./transcript-reasons.ts";
import { isRecord } from "../../schema/index.ts";
import { basicReferences, decodeReferences, stripUnsafe } from "../../text/index.ts";
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

/** A line with the times of a cue; the times are parsed separately, since many are invalid. */
const timing = /^\s{0,8}(\S{0,24})\s{0,8}-->\s{0,8}(\S{0,24})/;
/** `01:02:03.456`, `02:03,4`, and hours of any length. */
const clockTime = /^(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?$/;
const tag = /<[^<>]{0,200}>/g;
const wordTime = /<\d{1,4}:\d\d(?::\d\d)?\.\d{3}>/;
/** Instructions for the player, in braces: `{\an8}`. */
const override = /\{\\[^{}]{0,100}\}/g;

/** Reads the cues of WebVTT or SubRip text. */
function parseCueText(text: string, format: "vtt" | "srt"): CueList {
  const reader = new CueReader(format);
  const content = text.startsWith("\ufeff") ? text.slice(1) : text;
  for (const line of content.split(/\r\n|[\r\n]/)) reader.read(line);
  return reader.finish();
}

class CueReader {
  readonly #format: "vtt" | "srt";
  readonly #cues: Cue[] = [];
  #broken = 0;
  #rolling = false;
  #open: { readonly start: number; readonly end: number; readonly lines: string[] } | undefined;
  #last = 0;

  constructor(format: "vtt" | "srt") {
    this.#format = format;
  }

  read(line: string): void {
    const times = line.includes("-->") ? timing.exec(line) : null;
    if (times !== null) {
      this.#close();
      this.#begin(times);
    } else if (line === "" && this.#format === "vtt") {
      // The lines up to the next times are an identifier or a note.
      this.#close();
    } else this.#open?.lines.push(line);
  }

  finish(): CueList {
    this.#close();
    return { cues: this.#cues, broken: this.#broken, rolling: this.#rolling };
  }

  #begin([, from = "", to = ""]: readonly string[]): void {
    const [start, end] = [secondsOf(from), secondsOf(to)];
    if (start === undefined || end === undefined || end < start) this.#broken++;
    const begin = start ?? this.#last;
    this.#open = { start: begin, end: Math.max(begin, end ?? begin), lines: [] };
    this.#last = this.#open.end;
  }

  #close(): void {
    if (this.#open === undefined) return;
    const { start, end, lines } = this.#open;
    this.#open = undefined;
    // The number of the next cue precedes its times.
    if (this.#format === "srt" && lines.length > 1 && /^\s*\d{1,9}\s*$/.test(lines.at(-1) ?? "")) lines.pop();
    if (!this.#rolling && lines.some((line) => wordTime.test(line))) this.#rolling = true;
    const words = lines.map(plain).filter((line) => line !== "");
    if (words.length > 0) this.#cues.push({ start, end, lines: words });
  }
}

function secondsOf(text: string): number | undefined {
  const found = clockTime.exec(text);
  if (found === null) return undefined;
  const [, hours = "0", minutes = "0", seconds = "0", fraction = "0"] = found;
  if (Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  // In one division, so that 3661.1 does not become 3661.0999….
  return (whole * 1000 + Number(fraction.padEnd(3, "0"))) / 1000;
}

/** A line without tags, with its entities as characters. */
function plain(line: string): string {
  const bare = line.includes("<") ? line.replaceAll(tag, "") : line;
  const words = bare.includes("{") ? bare.replaceAll(override, "") : bare;
  return stripUnsafe(words.includes("&") ? decodeReferences(words, named) : words)
    .replaceAll(/\s+/g, " ")
    .trim();
}

const named: Readonly<Record<string, string>> = { ...basicReferences, lrm: "", rlm: "" };
