import { type ReasonFailure, createReasonFailures } from "../../base/index.ts";

/** Every reason for which `get_weather` fails. The reference in the docs is generated from it. */
export const weatherReasons = {
  no_place: { code: "validation_error", meaning: "The call does not name a location.", retry: "never" },
  place_not_found: { code: "validation_error", meaning: "No location has this name.", retry: "never" },
  ambiguous_place: { code: "validation_error", meaning: "Several locations have this name.", retry: "never" },
  weather_unreachable: { code: "not_available", meaning: "The weather service cannot be reached.", retry: "safe" },
  weather_slow: { code: "timeout", meaning: "The weather service does not answer in time.", retry: "safe" },
  weather_limited: {
    code: "not_available",
    meaning: "The weather service limits the rate of requests.",
    retry: "safe",
  },
  weather_down: { code: "not_available", meaning: "The weather service fails.", retry: "safe" },
  weather_refused: { code: "execution_error", meaning: "The weather service refuses the request.", retry: "never" },
  bad_weather_answer: {
    code: "execution_error",
    meaning: "The weather service does not answer in its own format.",
    retry: "safe",
  },
} as const;

/** A failure for this reason; `parameter` is the one to correct. */
export const weatherFailure: ReasonFailure<keyof typeof weatherReasons> = createReasonFailures(weatherReasons);
