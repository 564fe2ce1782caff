import { isRecord } from "../../schema/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import { nestsDeeperThan } from "../data/json/read-data.ts";
import type { Cue, CueList } from "./captions.ts";
import { worldFailure } from "./world-reasons.ts";

/** Levels of JSON3: the file, its events, their parts. */
const deepest = 16;

/** Reads the cues of YouTube's JSON3. */
export function parseJson3(text: string): CueList {
  const events = eventsOf(text);
  const cues: Cue[] = [];
  let broken = 0;
  let last = 0;
  for (const event of events) {
    if (!isRecord(event) || !Array.isArray(event["segs"])) continue;
    const words = wordsOf(event["segs"]);
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
  if (!nestsDeeperThan(deepest, text)) {
    try {
      const file: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
      if (isRecord(file) && Array.isArray(file["events"])) return file["events"];
    } catch {
      // Said below.
    }
  }
  const message =
    "the captions begin like JSON but are no JSON3: { events: [{ tStartMs, dDurationMs, segs: [{ utf8 }] }] }";
  throw worldFailure("unknown_captions", message, { parameter: "transcript" });
}

function wordsOf(parts: readonly unknown[]): string {
  const texts = parts.map((part) => (isRecord(part) && typeof part["utf8"] === "string" ? part["utf8"] : ""));
  return stripUnsafe(texts.join("")).replaceAll(/\s+/g, " ").trim();
}

/** More than a year is no video. */
const longest = 366 * 86_400_000;

function millisecondsOf(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= longest ? value : undefined;
}
