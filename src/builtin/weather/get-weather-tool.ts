import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import { weatherMs } from "./fetch-weather.ts";
import { defaultForecastDays } from "./forecast.ts";
import type { WeatherLanguage } from "./weather-codes.ts";
import type { Weather, WeatherReport } from "./weather.ts";

/** Input of `get_weather`. */
export interface GetWeatherInput {
  readonly location?: string;
  /** The same as `location`. */
  readonly city?: string;
  readonly country?: string;
  readonly latitude?: number;
  readonly longitude?: number;
  readonly days?: number;
  readonly units?: "metric" | "imperial";
  readonly language?: WeatherLanguage;
  readonly simulate?: boolean;
}

const number = { type: "number" };
const text = { type: "string" };

const properties = {
  location: { ...text, maxLength: 200, description: 'The location: "Berlin", "北京", "Springfield, Illinois".' },
  city: { ...text, maxLength: 200, description: "Another name for location." },
  country: { ...text, maxLength: 100, description: "The country, by code or name, if the name is ambiguous." },
  latitude: { ...number, minimum: -90, maximum: 90, description: "With longitude, instead of a name." },
  longitude: { ...number, minimum: -180, maximum: 180, description: "With latitude, instead of a name." },
  days: {
    type: "integer",
    minimum: 0,
    maximum: 16,
    default: defaultForecastDays,
    description: "Days of forecast, today included; 0 for the current weather only.",
  },
  units: {
    type: "string",
    enum: ["metric", "imperial"],
    default: "metric",
    description: "metric: °C, km/h, mm; imperial: °F, mph, inch.",
  },
  language: {
    type: "string",
    enum: ["en", "zh"],
    description: "Language of names and conditions. Default: that of the location's name.",
  },
  simulate: {
    type: "boolean",
    default: false,
    description: "Returns simulated data without any request, for trying things out. Never use it to answer the user.",
  },
};

/** `get_weather`: current weather and a forecast for a location. */
export function getWeatherTool({
  weather,
}: {
  readonly weather: Weather;
}): Tool<GetWeatherInput, GetWeatherInput, WeatherReport> {
  return defineTool({
    name: "get_weather",
    description:
      "Returns the current weather and the forecast of the next days for a location, by its name in any language or by " +
      "its coordinates: condition, temperature, humidity, precipitation, wind, with their units. If several locations have " +
      "the name, it fails and lists them; add the region or country after a comma. Show the attribution with the data. " +
      "Data with simulated: true is made up and says nothing about the real weather." +
      (weather.defaultPlace === undefined ? "" : ` Default location: ${weather.defaultPlace}.`),
    displayName: "Weather",
    category: "weather",
    tags: ["weather", "network", "forecast"],
    capabilities: ["weather", "天气", "天气查询"],
    aliases: ["getWeather"],
    effect: "read",
    sends: true,
    timeoutMs: weatherMs,
    cache: { ttlMs: 600_000 },
    input: fromJsonSchema<GetWeatherInput, GetWeatherInput>({
      type: "object",
      properties,
      additionalProperties: false,
      examples: [
        { location: "Berlin", days: 2 },
        { city: "北京", days: 0 },
      ],
    }),
    output: fromJsonSchema<WeatherReport, WeatherReport>({
      type: "object",
      properties: {
        location: { type: "object", properties: { name: text, latitude: number, longitude: number, timezone: text } },
        current: { type: "object", properties: { time: text, condition: text, temperature: number } },
        daily: { type: "array", items: { type: "object", properties: { date: text }, required: ["date"] } },
        units: { type: "object" },
        alternatives: { type: "array", items: text },
        attribution: text,
        simulated: { type: "boolean" },
      },
      required: ["location", "current", "daily", "units", "attribution"],
    }),
    run: ({ city, location = city, ...query }, { signal }) => weather.report({ ...query, location, signal }),
  });
}
