import { type Clock, systemClock } from "../../base/index.ts";
import type { HttpClient } from "../../net/index.ts";
import { type GeoPlace, choosePlace, searchPlaces } from "./geocode.ts";
import {
  type Forecast,
  forecastQuery,
  readForecast,
  type CurrentWeather,
  type DailyWeather,
  defaultForecastDays,
} from "./forecast.ts";
import { type WeatherHost, fetchWeather } from "./fetch-weather.ts";
import { type WeatherLanguage, resolveWeatherLanguage, describeWeather, weatherCodes } from "./weather-codes.ts";
import { weatherFailure } from "./weather-reasons.ts";

/** Options of {@link createWeather}. */
export interface WeatherOptions {
  readonly http: HttpClient;
  /** Address of the forecast service. Default: that of open-meteo. */
  readonly forecastUrl?: string | undefined;
  /** Address of the geocoding service. Default: that of open-meteo. */
  readonly geocodingUrl?: string | undefined;
  /** For subscribers of open-meteo, whose addresses begin with `customer-`. */
  readonly apiKey?: string | undefined;
  /** Location used if a call names none. */
  readonly defaultPlace?: string | undefined;
  readonly clock?: Clock;
}

/** Query for the weather of a location by its name, or by its coordinates. */
export interface WeatherQuery {
  readonly location?: string | undefined;
  /** A country by code or name, if the name of the location is ambiguous. */
  readonly country?: string | undefined;
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
  /** Days of forecast, including today; 0 for the current weather only. Default: 3. */
  readonly days?: number | undefined;
  readonly units?: "metric" | "imperial" | undefined;
  readonly language?: WeatherLanguage | undefined;
  /** Returns simulated data instead of real weather. */
  readonly simulate?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The weather at a location. */
export interface WeatherReport extends Forecast {
  readonly location: Partial<GeoPlace> & { readonly name: string };
  /** Other locations of the same name that may have been intended. */
  readonly alternatives?: readonly string[];
  /** Attribution of the data, to be shown with it. */
  readonly attribution: string;
  /** The data is simulated. */
  readonly simulated?: true;
}

/** Reports the weather at locations. */
export interface Weather {
  /** Location used if a call names none. */
  readonly defaultPlace?: string | undefined;
  report(query: WeatherQuery): Promise<WeatherReport>;
}

/** The attribution that the license of the data requires. */
export const weatherAttribution: string =
  "Weather data by Open-Meteo.com (https://open-meteo.com/), licensed under CC BY 4.0 " +
  "(https://creativecommons.org/licenses/by/4.0/); place names by GeoNames.";

/**
 * Weather from open-meteo, or from a self-hosted instance with the same API.
 *
 * @example
 * ```ts
 * const weather = createWeather({ http });
 * const { current } = await weather.report({ location: "北京" });
 * ```
 */
export function createWeather(options: WeatherOptions): Weather {
  const { http, apiKey, defaultPlace, clock = systemClock } = options;
  const shared = { http, apiKey, clock };
  const geocoding: WeatherHost = { ...shared, url: options.geocodingUrl ?? "https://geocoding-api.open-meteo.com" };
  const forecasts: WeatherHost = { ...shared, url: options.forecastUrl ?? "https://api.open-meteo.com" };
  return {
    defaultPlace,
    report: async (request) => {
      const query = namesPlace(request) ? request : { ...request, location: defaultPlace };
      checkPlace(query);
      if (query.simulate === true) return simulateWeather(query, clock.now());
      const { place, alternatives } = await resolvePlace(query, geocoding);
      const { latitude = 0, longitude = 0 } = place;
      const values = forecastQuery({ ...query, latitude, longitude });
      const answer = await fetchWeather(forecasts, { path: "/v1/forecast", query: values, signal: query.signal });
      const forecast = readForecast(answer, resolveWeatherLanguage(query));
      return {
        location: { ...place, ...(forecast.timezone !== undefined && { timezone: forecast.timezone }) },
        ...forecast.weather,
        ...(alternatives.length > 0 && { alternatives }),
        attribution: weatherAttribution,
      };
    },
  };
}

function namesPlace({ location = "", latitude, longitude }: WeatherQuery): boolean {
  return location.trim() !== "" || latitude !== undefined || longitude !== undefined;
}

function checkPlace({ location = "", latitude, longitude }: WeatherQuery): void {
  if (location.trim() !== "" || (latitude !== undefined && longitude !== undefined)) return;
  const message = "name a location with `location`, or send `latitude` and `longitude`";
  throw weatherFailure("no_place", message, { parameter: "location" });
}

async function resolvePlace(
  query: WeatherQuery,
  geocoding: WeatherHost,
): Promise<{ readonly place: WeatherReport["location"]; readonly alternatives: readonly string[] }> {
  const { location = "", latitude, longitude, country, signal } = query;
  if (latitude !== undefined && longitude !== undefined) {
    return { place: { name: location.trim() || `${latitude}, ${longitude}`, latitude, longitude }, alternatives: [] };
  }
  const places = await searchPlaces(geocoding, location, resolveWeatherLanguage(query), signal);
  return choosePlace(places, { location, country });
}

const dayMs = 86_400_000;

/** Simulated weather for trying things out: the same for the same location and day, and marked as simulated. */
function simulateWeather(query: WeatherQuery, now: number): WeatherReport {
  const { location = "", latitude, longitude, days = defaultForecastDays, units = "metric" } = query;
  const name = location.trim() || `${latitude}, ${longitude}`;
  const language = resolveWeatherLanguage(query);
  const imperial = units === "imperial";
  const degrees = (celsius: number): number => round(imperial ? celsius * 1.8 + 32 : celsius);
  const speed = (kilometres: number): number => round(imperial ? kilometres / 1.609 : kilometres);
  const daily = Array.from({ length: Math.max(1, days) }, (_, ahead): DailyWeather => {
    const date = new Date(now + ahead * dayMs).toISOString().slice(0, 10);
    const random = randomFrom(`${name.toLowerCase()} ${date}`);
    const code = weatherCodes[Math.floor(random() * 12)] ?? 0;
    const low = Math.round(random() * 20);
    return {
      date,
      weather_code: code,
      condition: describeWeather(code, language),
      temperature_max: degrees(low + 4 + Math.round(random() * 8)),
      temperature_min: degrees(low),
      precipitation: code > 50 ? round(random() * (imperial ? 0.5 : 12)) : 0,
      precipitation_probability: Math.round(random() * 100),
      wind_speed_max: speed(5 + random() * 30),
    };
  });
  return {
    location: { name, ...(latitude !== undefined && longitude !== undefined && { latitude, longitude }) },
    current: currentOf(daily[0], now),
    daily: daily.slice(0, days),
    units: imperial
      ? { temperature: "°F", wind_speed: "mph", precipitation: "inch" }
      : { temperature: "°C", wind_speed: "km/h", precipitation: "mm" },
    attribution: "Simulated data: neither measured nor forecast.",
    simulated: true,
  };
}

function currentOf(today: DailyWeather | undefined, now: number): CurrentWeather {
  const {
    weather_code = 0,
    condition = "",
    temperature_max = 0,
    temperature_min = 0,
    wind_speed_max = 0,
  } = today ?? {};
  const temperature = round((temperature_max + temperature_min) / 2);
  return {
    time: new Date(now).toISOString().slice(0, 16),
    weather_code,
    condition,
    temperature,
    feels_like: temperature,
    humidity: 60,
    precipitation: 0,
    wind_speed: round(wind_speed_max / 2),
    wind_direction: 180,
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Numbers from 0 to 1 that depend on the text alone (FNV-1a, then a linear congruence). */
function randomFrom(text: string): () => number {
  let state = 0x811c9dc5;
  for (const byte of Buffer.from(text)) state = Math.imul(state ^ byte, 0x01000193) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
