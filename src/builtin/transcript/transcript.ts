import { definedOnly } from "../../base/index.ts";
import { cutText, stripUnsafe } from "../../text/index.ts";
import { type CaptionFormat, type CaptionSegment, readCaptions } from "./captions.ts";
import { transcriptFailure } from "./transcript-reasons.ts";

/** Request to a {@link TranscriptProvider}. */
export interface TranscriptRequest {
  readonly videoId: string;
  /** The requested language, such as `en` or `zh`. */
  readonly language?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Result of a {@link TranscriptProvider}: the content of a caption file, and metadata of the video. */
export interface ProvidedCaptions {
  /** WebVTT, SRT or JSON3. */
  readonly captions: string;
  readonly format?: CaptionFormat;
  readonly language?: string;
  readonly title?: string;
}

/** Fetches the captions of videos; Windlass has none of its own. */
export interface TranscriptProvider {
  readonly name: string;
  fetch(request: TranscriptRequest): Promise<ProvidedCaptions>;
}

/** Source of a transcript: a video by its address or id, or supplied captions. */
export interface TranscriptQuery {
  readonly video?: string | undefined;
  readonly captions?: string | undefined;
  readonly format?: CaptionFormat | undefined;
  readonly language?: string | undefined;
  /** Maximum characters of the text; segments that do not fit are omitted. Default: 50,000. */
  readonly maxLength?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Transcript of a video. */
export interface Transcript {
  readonly video_id?: string;
  readonly title?: string;
  readonly language?: string;
  readonly format: CaptionFormat;
  /** The provider that fetched the captions, or `supplied`. */
  readonly source: string;
  readonly text: string;
  readonly segments: readonly CaptionSegment[];
  /** Seconds up to the end of the last words, including omitted ones. */
  readonly duration: number;
  /** Number of captions whose times are invalid. */
  readonly broken_times?: number;
  /** The transcript is longer than the text returned. */
  readonly truncated?: true;
}

/** Default maximum length of a transcript in characters. */
const defaultTranscriptChars = 50_000;

/**
 * The transcript of a video: from captions that are supplied, or fetched by a provider.
 *
 * @example
 * ```ts
 * const { text } = await transcribe({ captions: await readFile("talk.vtt", "utf8") });
 * ```
 */
export async function transcribe(query: TranscriptQuery, provider?: TranscriptProvider): Promise<Transcript> {
  const { video, language, maxLength = defaultTranscriptChars, signal } = query;
  const id = video === undefined ? undefined : videoIdOf(video);
  const found =
    query.captions === undefined ? await fetchCaptions(id, provider, { language, signal }) : suppliedOf(query);
  const { format, segments, broken } = readCaptions(found.captions, found.format);
  const shown = fitting(segments, maxLength);
  const isCut = shown.length < segments.length || shown[0]?.text !== segments[0]?.text;
  return {
    ...(id !== undefined && { video_id: id }),
    ...(found.title !== undefined && { title: stripUnsafe(found.title.slice(0, 300)) }),
    ...(found.language !== undefined && { language: found.language }),
    format,
    source: found.source,
    text: shown.map(({ text }) => text).join("\n"),
    segments: shown,
    duration: segments.reduce((latest, { end }) => Math.max(latest, end), 0),
    ...(broken > 0 && { broken_times: broken }),
    ...(isCut && { truncated: true as const }),
  };
}

type FetchedCaptions = ProvidedCaptions & { readonly source: string };

function suppliedOf({ captions = "", format, language }: TranscriptQuery): FetchedCaptions {
  return {
    captions,
    ...definedOnly({ format, language }),
    source: "supplied",
  };
}

async function fetchCaptions(
  id: string | undefined,
  provider: TranscriptProvider | undefined,
  options: Pick<TranscriptRequest, "language" | "signal">,
): Promise<FetchedCaptions> {
  if (id === undefined) {
    const message = "supply `transcript` with the captions of the video, or `url` with its address";
    throw transcriptFailure("no_video", message, { parameter: "transcript" });
  }
  if (provider === undefined) {
    const message =
      "transcripts cannot be fetched: no transcript provider is configured. Supply the captions as `transcript` (VTT, " +
      "SRT or JSON3), or configure a provider";
    throw transcriptFailure("no_transcript_provider", message);
  }
  return { ...(await provider.fetch({ videoId: id, ...options })), source: provider.name };
}

/** More segments than this would not fit into a result, even with short texts. */
const maxSegments = 20_000;

/** The segments whose text fits; if the first one is too long, a part of it. */
function fitting(segments: readonly CaptionSegment[], maxLength: number): readonly CaptionSegment[] {
  let length = 0;
  const past = segments.findIndex(({ text }, at) => at === maxSegments || (length += text.length + 1) > maxLength + 1);
  const [first] = segments;
  if (past === 0 && first !== undefined) {
    return [{ ...first, text: cutText(first.text, maxLength, { at: "word" }).text }];
  }
  return past === -1 ? segments : segments.slice(0, past);
}

const id = /^[A-Za-z0-9_-]{11}$/;
const hosts = /^(?:(?:www|m|music)\.)?(?:youtube\.com|youtube-nocookie\.com)$/;

/** The id of a YouTube video, from its address in any form or the id itself. */
function videoIdOf(video: string): string {
  const text = video.trim();
  const found = id.test(text) ? text : idInAddress(text);
  if (found !== undefined && id.test(found)) return found;
  const message = `${JSON.stringify(text.slice(0, 100))} is not an address or id of a YouTube video, such as https://www.youtube.com/watch?v=…`;
  throw transcriptFailure("bad_video", message, { parameter: "url" });
}

function idInAddress(text: string): string | undefined {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(address)) return undefined;
  const { hostname, pathname, searchParams } = new URL(address);
  const [first = "", second = ""] = pathname.slice(1).split("/");
  if (hostname === "youtu.be") return first;
  if (!hosts.test(hostname)) return undefined;
  if (first === "watch") return searchParams.get("v") ?? undefined;
  return ["shorts", "embed", "live", "v"].includes(first) ? second : undefined;
}
