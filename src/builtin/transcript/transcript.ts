import { cutText, stripUnsafe } from "../../text/index.ts";
import { type CaptionFormat, type CaptionSegment, readCaptions } from "./captions.ts";
import { videoIdOf } from "./video-id.ts";
import { worldFailure } from "./world-reasons.ts";

/** What a {@link TranscriptProvider} is asked for. */
export interface TranscriptRequest {
  readonly videoId: string;
  /** The language that is wanted, such as `en` or `zh`. */
  readonly language?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a {@link TranscriptProvider} gives: the content of a caption file, and what is known of the video. */
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

/** Whose transcript is wanted: a video by its address or id, or captions that are already there. */
export interface TranscriptQuery {
  readonly video?: string | undefined;
  readonly captions?: string | undefined;
  readonly format?: CaptionFormat | undefined;
  readonly language?: string | undefined;
  /** Characters of the text; segments that do not fit are left out. 50,000 where absent. */
  readonly maxLength?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What is said in a video. */
export interface Transcript {
  readonly video_id?: string;
  readonly title?: string;
  readonly language?: string;
  readonly format: CaptionFormat;
  /** The provider that fetched the captions, or `supplied`. */
  readonly source: string;
  readonly text: string;
  readonly segments: readonly CaptionSegment[];
  /** Seconds up to the end of the last words, those that were left out included. */
  readonly duration: number;
  /** How many captions had times that cannot be read. */
  readonly broken_times?: number;
  /** The transcript goes on. */
  readonly truncated?: true;
}

/** Characters of a transcript where nothing is said. */
const usualLength = 50_000;

/**
 * The transcript of a video: from captions that are supplied, or fetched by a provider.
 *
 * @example
 * ```ts
 * const { text } = await transcribe({ captions: await readFile("talk.vtt", "utf8") });
 * ```
 */
export async function transcribe(query: TranscriptQuery, provider?: TranscriptProvider): Promise<Transcript> {
  const { video, language, maxLength = usualLength, signal } = query;
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

type Found = ProvidedCaptions & { readonly source: string };

function suppliedOf({ captions = "", format, language }: TranscriptQuery): Found {
  return {
    captions,
    ...(format !== undefined && { format }),
    ...(language !== undefined && { language }),
    source: "supplied",
  };
}

async function fetchCaptions(
  id: string | undefined,
  provider: TranscriptProvider | undefined,
  options: Pick<TranscriptRequest, "language" | "signal">,
): Promise<Found> {
  if (id === undefined) {
    const message = "supply `transcript` with the captions of the video, or `url` with its address";
    throw worldFailure("no_video", message, { parameter: "transcript" });
  }
  if (provider === undefined) {
    const message =
      "transcripts cannot be fetched: no transcript provider is configured. Supply the captions as `transcript` (VTT, " +
      "SRT or JSON3), or give the tool a provider";
    throw worldFailure("no_transcript_provider", message);
  }
  return { ...(await provider.fetch({ videoId: id, ...options })), source: provider.name };
}

/** More segments than this would not fit into a result, whatever their text. */
const mostSegments = 20_000;

/** The segments whose text fits; of a first one that is too long, a part. */
function fitting(segments: readonly CaptionSegment[], maxLength: number): readonly CaptionSegment[] {
  let length = 0;
  const past = segments.findIndex(({ text }, at) => at === mostSegments || (length += text.length + 1) > maxLength + 1);
  const [first] = segments;
  if (past === 0 && first !== undefined) {
    return [{ ...first, text: cutText(first.text, maxLength, { at: "word" }).text }];
  }
  return past === -1 ? segments : segments.slice(0, past);
}
