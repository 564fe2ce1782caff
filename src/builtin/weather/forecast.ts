import { isRecord } from "../../schema/index.ts";
import { type WeatherLanguage, describeWeather } from "./weather-codes.ts";
import { weatherFailure } from "./weather-reasons.ts";

/** The weather at one moment; values that the service does not return are undefined. */
export interface CurrentWeather {
  /** Local time, `YYYY-MM-DDTHH:MM`. */
  readonly time: string;
  readonly condition?: string;
  readonly weather_code?: number;
  readonly temperature?: number;
  readonly feels_like?: number;
  /** In percent. */
  readonly humidity?: number;
  readonly precipitation?: number;
  readonly wind_speed?: number;
  /** Direction from which the wind blows, in degrees. */
  readonly wind_direction?: number;
}

/** The weather of one day. */
export interface DailyWeather {
  readonly date: string;
  readonly condition?: string;
  readonly weather_code?: number;
  readonly temperature_max?: number;
  readonly temperature_min?: number;
  readonly precipitation?: number;
  /** In percent. */
  readonly precipitation_probability?: number;
  readonly wind_speed_max?: number;
  readonly sunrise?: string;
  readonly sunset?: string;
}

/** Units of the numbers. */
export interface WeatherUnits {
  readonly temperature: string;
  readonly wind_speed: string;
  readonly precipitation: string;
}

/** Current weather and forecast. */
export interface Forecast {
  readonly current: CurrentWeather;
  readonly daily: readonly DailyWeather[];
  readonly units: WeatherUnits;
}

/** Default number of forecast days. */
export const defaultForecastDays = 3;

/** Our names for the fields of the service. */
const currentNames = {
  weather_code: "weather_code",
  temperature: "temperature_2m",
  feels_like: "apparent_temperature",
  humidity: "relative_humidity_2m",
  precipitation: "precipitation",
  wind_speed: "wind_speed_10m",
  wind_direction: "wind_direction_10m",
} as const;

const dailyNames = {
  weather_code: "weather_code",
  temperature_max: "temperature_2m_max",
  temperature_min: "temperature_2m_min",
  precipitation: "precipitation_sum",
  precipitation_probability: "precipitation_probability_max",
  wind_speed_max: "wind_speed_10m_max",
  sunrise: "sunrise",
  sunset: "sunset",
} as const;

/** Query parameters for the service. */
export function forecastQuery(query: {
  readonly latitude: number;
  readonly longitude: number;
  readonly days?: number | undefined;
  readonly units?: "metric" | "imperial" | undefined;
}): Record<string, string | number> {
  const { latitude, longitude, days = defaultForecastDays, units } = query;
  return {
    latitude,
    longitude,
    current: Object.values(currentNames).join(","),
    ...(days > 0 && { daily: Object.values(dailyNames).join(","), forecast_days: days }),
    timezone: "auto",
    ...(units === "imperial" && { temperature_unit: "fahrenheit", wind_speed_unit: "mph", precipitation_unit: "inch" }),
  };
}

type ForecastResponse = Readonly<Record<string, unknown>>;

/** Reads the response of the service and tolerates missing values. */
export function readForecast(
  answer: ForecastResponse,
  language: WeatherLanguage,
): { readonly weather: Forecast; readonly timezone: string | undefined } {
  const current = recordAt(answer, "current");
  const time = current["time"];
  if (typeof time !== "string") {
    throw weatherFailure(
      "bad_weather_answer",
      "the weather service answers without current weather; check its address",
    );
  }
  const units = recordAt(answer, "current_units");
  const weather: Forecast = {
    current: { time: time.slice(0, 40), ...valuesOf(currentNames, (name) => current[name], language) },
    daily: readDays(recordAt(answer, "daily"), language),
    units: {
      temperature: unitOf(units, currentNames.temperature, "°C"),
      wind_speed: unitOf(units, currentNames.wind_speed, "km/h"),
      precipitation: unitOf(units, currentNames.precipitation, "mm"),
    },
  };
  const { timezone } = answer;
  return { weather, timezone: typeof timezone === "string" ? timezone.slice(0, 60) : undefined };
}

/** Converts the service's list per value to a list of days. */
function readDays(daily: ForecastResponse, language: WeatherLanguage): DailyWeather[] {
  const dates = Array.isArray(daily["time"]) ? daily["time"].slice(0, 16) : [];
  return dates.flatMap((date: unknown, at) => {
    if (typeof date !== "string") return [];
    const ofDay = (name: string): unknown => (Array.isArray(daily[name]) ? (daily[name] as unknown[])[at] : undefined);
    return [{ date: date.slice(0, 10), ...valuesOf(dailyNames, ofDay, language) }];
  });
}

/** The available values under our names, with the weather code as text. */
function valuesOf(
  names: Readonly<Record<string, string>>,
  get: (name: string) => unknown,
  language: WeatherLanguage,
): Record<string, number | string> {
  const values: Record<string, number | string> = {};
  for (const [ours, theirs] of Object.entries(names)) {
    const value = get(theirs);
    const isTime = ours === "sunrise" || ours === "sunset";
    if (isTime ? typeof value !== "string" : typeof value !== "number") continue;
    values[ours] = typeof value === "string" ? value.slice(0, 40) : Number(value);
    if (ours === "weather_code") values["condition"] = describeWeather(Number(value), language);
  }
  return values;
}

function recordAt(answer: ForecastResponse, key: string): ForecastResponse {
  const value = answer[key];
  return isRecord(value) ? value : {};
}

function unitOf(units: ForecastResponse, name: string, defaults: string): string {
  const unit = units[name];
  return typeof unit === "string" ? unit.slice(0, 20) : defaults;
}
