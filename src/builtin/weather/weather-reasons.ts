import { type ReasonFailure, type ReasonTable, createReasonTable, createReasonFailures } from "../../base/index.ts";

const weatherGroups = {
  validation_error: {
    no_place: "The call does not name a location.",
    place_not_found: "No location has this name.",
    ambiguous_place: "Several locations have this name.",
  },
  not_available: {
    weather_unreachable: "The weather service cannot be reached.",
    weather_limited: "The weather service limits the rate of requests.",
    weather_down: "The weather service fails.",
  },
  "timeout, safe": { weather_slow: "The weather service does not answer in time." },
  "execution_error, never": { weather_refused: "The weather service refuses the request." },
  "execution_error, safe": { bad_weather_answer: "The weather service does not answer in its own format." },
} as const;

/** Every reason for which `get_weather` fails. The reference in the docs is generated from it. */
export const weatherReasons: ReasonTable<typeof weatherGroups> = createReasonTable(weatherGroups);

/** A failure for this reason; `parameter` is the one to correct. */
export const weatherFailure: ReasonFailure<keyof typeof weatherReasons> = createReasonFailures(weatherReasons);
