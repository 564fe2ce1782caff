import { type ReasonFailure, createReasonFailures } from "../../base/index.ts";

/** Every reason for which `youtube_transcription` fails. The reference in the docs is generated from it. */
export const transcriptReasons = {
  no_video: { code: "validation_error", meaning: "The call names no video and supplies no captions.", retry: "never" },
  bad_video: {
    code: "validation_error",
    meaning: "The text is not an address or id of a YouTube video.",
    retry: "never",
  },
  unknown_captions: {
    code: "validation_error",
    meaning: "The captions are neither VTT, SRT nor JSON3.",
    retry: "never",
  },
  no_captions: { code: "validation_error", meaning: "The captions contain no text.", retry: "never" },
  captions_too_large: { code: "validation_error", meaning: "The captions are too large to be read.", retry: "never" },
  no_transcript_provider: {
    code: "not_available",
    meaning: "Nothing is configured that fetches transcripts of videos.",
    retry: "never",
  },
} as const;

/** A failure for this reason; `parameter` is the one to correct. */
export const transcriptFailure: ReasonFailure<keyof typeof transcriptReasons> = createReasonFailures(transcriptReasons);
