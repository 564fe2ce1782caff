import { stripUnsafe } from "../../text/index.ts";
import type { Cue, CueList } from "./captions.ts";

/** A line with the times of a cue; the times are parsed separately, since many are invalid. */
const timing = /^\s{0,8}(\S{0,24})\s{0,8}-->\s{0,8}(\S{0,24})/;
/** `01:02:03.456`, `02:03,4`, and hours of any length. */
const clockTime = /^(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?$/;
const tag = /<[^<>]{0,200}>/g;
const wordTime = /<\d{1,4}:\d\d(?::\d\d)?\.\d{3}>/;
/** Instructions for the player, in braces: `{\an8}`. */
const override = /\{\\[^{}]{0,100}\}/g;

/** Reads the cues of WebVTT or SubRip text. */
export function parseCueText(text: string, format: "vtt" | "srt"): CueList {
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
  return stripUnsafe(words.includes("&") ? decodeReferences(words) : words)
    .replaceAll(/\s+/g, " ")
    .trim();
}

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  lrm: "",
  rlm: "",
};

/** References to characters, once: `&amp;lt;` is the text `&lt;`. */
function decodeReferences(text: string): string {
  return text.replaceAll(
    /&(?:([a-z]{2,5})|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi,
    (all, name?: string, ...codes: unknown[]) => {
      if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? all) : all;
      const [decimal, hex] = codes;
      const code = typeof decimal === "string" ? Number(decimal) : Number.parseInt(String(hex), 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}
