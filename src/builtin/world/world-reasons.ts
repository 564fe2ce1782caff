import { type ReasonFailure, failuresFor } from "../../base/index.ts";

/** Every reason for which `get_weather` or `youtubeTranscription` fails. The reference in the docs is generated from it. */
export const worldReasons = {
  no_place: { code: "validation_error", means: "The call names no place.", retry: "never" },
  place_not_found: { code: "validation_error", means: "No place has this name.", retry: "never" },
  ambiguous_place: { code: "validation_error", means: "Several places have this name.", retry: "never" },
  weather_unreachable: { code: "not_available", means: "The weather service cannot be reached.", retry: "safe" },
  weather_slow: { code: "timeout", means: "The weather service does not answer in time.", retry: "safe" },
  weather_limited: { code: "not_available", means: "The weather service wants fewer requests.", retry: "safe" },
  weather_down: { code: "not_available", means: "The weather service fails.", retry: "safe" },
  weather_refused: { code: "execution_error", means: "The weather service refuses the request.", retry: "never" },
  bad_weather_answer: {
    code: "execution_error",
    means: "The weather service does not answer in its own format.",
    retry: "safe",
  },
  no_video: { code: "validation_error", means: "The call names no video and supplies no captions.", retry: "never" },
  bad_video: {
    code: "validation_error",
    means: "The text is no address and no id of a YouTube video.",
    retry: "never",
  },
  unknown_captions: { code: "validation_error", means: "The captions are neither VTT, SRT nor JSON3.", retry: "never" },
  no_captions: { code: "validation_error", means: "The captions hold no words.", retry: "never" },
  captions_too_large: { code: "validation_error", means: "The captions are too large to be read.", retry: "never" },
  no_transcript_provider: {
    code: "not_available",
    means: "Nothing is configured that fetches transcripts of videos.",
    retry: "never",
  },
} as const;

/** The name of one reason in {@link worldReasons}. */
export type WorldReason = keyof typeof worldReasons;

/** A failure for this reason; `parameter` is the one to correct. */
export const worldFailure: ReasonFailure<WorldReason> = failuresFor(worldReasons);
