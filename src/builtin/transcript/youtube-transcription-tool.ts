import { type ToolFor, defineTool } from "../../tool/index.ts";
import type { Transcript, TranscriptProvider } from "./transcript.ts";

const text = { type: "string" } as const;

const segment = {
  type: "object",
  properties: { start: { type: "number" }, end: { type: "number" }, text },
  required: ["start", "end", "text"],
} as const;

const output = {
  type: "object",
  properties: {
    video_id: text,
    title: text,
    language: text,
    format: text,
    source: text,
    text,
    segments: { type: "array", items: segment },
    duration: { type: "number" },
    broken_times: { type: "integer" },
    truncated: { type: "boolean" },
  },
  required: ["format", "source", "text", "duration"],
} as const;

const input = {
  type: "object",
  properties: {
    url: { type: "string", maxLength: 2000, description: "The address of the video." },
    video_id: { type: "string", maxLength: 100, description: "The id of the video, 11 characters, instead of url." },
    transcript: { type: "string", description: "The content of a caption file: WebVTT, SRT or JSON3." },
    format: { type: "string", enum: ["vtt", "srt", "json3"], description: "Format of transcript. Default: detected." },
    language: { type: "string", maxLength: 35, description: "The language of the captions, such as en or zh." },
    include_segments: { type: "boolean", default: true, description: "false for the text only." },
    max_length: {
      type: "integer",
      minimum: 1,
      maximum: 1_000_000,
      default: 50_000,
      description: "Maximum characters of text; segments beyond are omitted and the result is marked truncated.",
    },
  },
  additionalProperties: false,
  examples: [
    { transcript: "WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nHello &amp; welcome\n" },
    { transcript: "1\n00:00:01,000 --> 00:00:02,500\n你好\n", include_segments: false },
  ],
} as const;

/** `youtube_transcription`: the transcript of a video, from supplied captions or through a provider. */
export function youtubeTranscriptionTool({
  transcripts,
}: {
  /** Fetches captions; without it only supplied ones are read. */
  readonly transcripts?: TranscriptProvider | undefined;
} = {}): ToolFor<typeof input, Omit<Transcript, "segments"> & Partial<Pick<Transcript, "segments">>> {
  return defineTool({
    name: "youtube_transcription",
    description:
      "Returns the transcript of a YouTube video: what is spoken, as plain text and as segments with start and end in " +
      "seconds. Supply the captions as transcript (the content of a VTT, SRT or JSON3 file), or the video's url or " +
      "video_id if a transcript provider is configured. Lines that rolling captions repeat are returned once.",
    displayName: "YouTube transcription",
    category: "media",
    tags: ["video", "youtube", "captions"],
    capabilities: ["transcribe", "video", "转录", "字幕", "视频"],
    aliases: ["youtubeTranscription"],
    effect: ({ transcript }) => (transcript === undefined ? "read" : "pure"),
    targets: { url: "url" },
    sends: true,
    timeoutMs: 60_000,
    input,
    output,
    run: async (args, { signal }) => {
      const { transcribe } = await import("./transcript.ts");
      const { transcript: captions, format, language, max_length: maxLength } = args;
      const video = args.url ?? args.video_id;
      const { segments, ...rest } = await transcribe(
        { video, captions, format, language, maxLength, signal },
        transcripts,
      );
      return args.include_segments ? { ...rest, segments } : rest;
    },
  });
}
