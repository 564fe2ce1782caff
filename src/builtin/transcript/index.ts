export { type CaptionFormat, type Captions, type CaptionSegment, readCaptions } from "./captions.ts";
export {
  type ProvidedCaptions,
  type Transcript,
  type TranscriptProvider,
  type TranscriptQuery,
  type TranscriptRequest,
  transcribe,
} from "./transcript.ts";
export { youtubeTranscriptionTool } from "./youtube-transcription-tool.ts";
