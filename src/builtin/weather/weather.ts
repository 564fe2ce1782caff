import { type Clock, systemClock } from "../../base/index.ts";
import type { Door } from "../../net/index.ts";
import { type Place, choosePlace, searchPlaces } from "./find-place.ts";
import { type Forecast, forecastQuery, readForecast } from "./forecast.ts";
import { type WeatherHost, askWeather } from "./ask-weather.ts";
import { simulateWeather } from "./simulate-weather.ts";
import { type WeatherLanguage, languageOf } from "./weather-codes.ts";
import { worldFailure } from "./world-reasons.ts";

/** Where weather comes from. */
export interface WeatherOptions {
  readonly door: Door;
  /** The service that gives forecasts; open-meteo's own where absent. */
  readonly forecastUrl?: string | undefined;
  /** The service that finds places by name; open-meteo's own where absent. */
  readonly geocodingUrl?: string | undefined;
  /** For subscribers of open-meteo, whose addresses begin with `customer-`. */
  readonly apiKey?: string | undefined;
  /** The place whose weather is given where a question names none. */
  readonly place?: string | undefined;
  readonly clock?: Clock;
}

/** Which weather is asked for: that of a place by its name, or by its coordinates. */
export interface WeatherQuery {
  readonly location?: string | undefined;
  /** A country by code or name, where the name of the place needs one. */
  readonly country?: string | undefined;
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
  /** Days of forecast, today included; 0 for the current weather only. 3 where absent. */
  readonly days?: number | undefined;
  readonly units?: "metric" | "imperial" | undefined;
  readonly language?: WeatherLanguage | undefined;
  /** Made-up weather instead of real one. */
  readonly simulate?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The weather of a place. */
export interface WeatherReport extends Forecast {
  readonly location: Partial<Place> & { readonly name: string };
  /** Other places of the same name that may have been meant. */
  readonly alternatives?: readonly string[];
  /** Whose data this is; to be shown with it. */
  readonly attribution: string;
  /** The data is made up. */
  readonly simulated?: true;
}

/** Gives the weather of places. */
export interface Weather {
  /** The place whose weather is given where a question names none. */
  readonly place?: string | undefined;
  report(query: WeatherQuery): Promise<WeatherReport>;
}

/** The credit that the licence of the data asks for. */
export const weatherAttribution: string =
  "Weather data by Open-Meteo.com (https://open-meteo.com/), licensed under CC BY 4.0 " +
  "(https://creativecommons.org/licenses/by/4.0/); place names by GeoNames.";

/**
 * Weather by open-meteo, or by an instance of one's own that speaks its format.
 *
 * @example
 * ```ts
 * const weather = createWeather({ door });
 * const { current } = await weather.report({ location: "北京" });
 * ```
 */
export function createWeather(options: WeatherOptions): Weather {
  const { door, apiKey, place: usualPlace, clock = systemClock } = options;
  const shared = { door, apiKey, clock };
  const geocoding: WeatherHost = { ...shared, url: options.geocodingUrl ?? "https://geocoding-api.open-meteo.com" };
  const forecasts: WeatherHost = { ...shared, url: options.forecastUrl ?? "https://api.open-meteo.com" };
  return {
    place: usualPlace,
    report: async (asked) => {
      const query = namesPlace(asked) ? asked : { ...asked, location: usualPlace };
      checkPlace(query);
      if (query.simulate === true) return simulateWeather(query, clock.now());
      const { place, alternatives } = await placeOf(query, geocoding);
      const { latitude = 0, longitude = 0 } = place;
      const values = forecastQuery({ ...query, latitude, longitude });
      const answer = await askWeather(forecasts, { path: "/v1/forecast", query: values, signal: query.signal });
      const forecast = readForecast(answer, languageOf(query));
      return {
        location: { ...place, ...(forecast.timezone !== undefined && { timezone: forecast.timezone }) },
        ...forecast.weather,
        ...(alternatives.length > 0 && { alternatives }),
        attribution: weatherAttribution,
      };
    },
  };
}

interface FoundPlace {
  readonly place: WeatherReport["location"];
  readonly alternatives: readonly string[];
}

function namesPlace({ location = "", latitude, longitude }: WeatherQuery): boolean {
  return location.trim() !== "" || latitude !== undefined || longitude !== undefined;
}

function checkPlace({ location = "", latitude, longitude }: WeatherQuery): void {
  if (location.trim() !== "" || (latitude !== undefined && longitude !== undefined)) return;
  const message = "say where: `location` with the name of a place, or `latitude` and `longitude`";
  throw worldFailure("no_place", message, { parameter: "location" });
}

async function placeOf(query: WeatherQuery, geocoding: WeatherHost): Promise<FoundPlace> {
  const { location = "", latitude, longitude, country, signal } = query;
  if (latitude !== undefined && longitude !== undefined) {
    return { place: { name: location.trim() || `${latitude}, ${longitude}`, latitude, longitude }, alternatives: [] };
  }
  const places = await searchPlaces(geocoding, { location, language: languageOf(query), signal });
  return choosePlace(places, { location, country });
}
