import { type ReasonFailure, type ReasonTable, createReasonTable, createReasonFailures } from "../../base/index.ts";

const transcriptGroups = {
  validation_error: {
    no_video: "The call names no video and supplies no captions.",
    bad_video: "The text is not an address or id of a YouTube video.",
    unknown_captions: "The captions are neither VTT, SRT nor JSON3.",
    no_captions: "The captions contain no text.",
    captions_too_large: "The captions are too large to be read.",
  },
  "not_available, never": {
    no_transcript_provider: "Nothing is configured that fetches transcripts of videos.",
  },
} as const;

/** Every reason for which `youtube_transcription` fails. The reference in the docs is generated from it. */
export const transcriptReasons: ReasonTable<typeof transcriptGroups> = createReasonTable(transcriptGroups);

/** A failure for this reason; `parameter` is the one to correct. */
export const transcriptFailure: ReasonFailure<keyof typeof transcriptReasons> = createReasonFailures(transcriptReasons);
