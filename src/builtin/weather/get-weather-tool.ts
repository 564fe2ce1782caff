import { type ToolFor, defineTool } from "../../tool/index.ts";
import { weatherMs } from "./fetch-weather.ts";
import { defaultForecastDays } from "./forecast.ts";
import type { Weather, WeatherReport } from "./weather.ts";

const number = { type: "number" } as const;
const text = { type: "string" } as const;

const output = {
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
} as const;

const input = {
  type: "object",
  properties: {
    location: {
      type: "string",
      maxLength: 200,
      description: 'The location: "Berlin", "北京", "Springfield, Illinois".',
    },
    city: { type: "string", maxLength: 200, description: "Another name for location." },
    country: { type: "string", maxLength: 100, description: "The country, by code or name, if the name is ambiguous." },
    latitude: { type: "number", minimum: -90, maximum: 90, description: "With longitude, instead of a name." },
    longitude: { type: "number", minimum: -180, maximum: 180, description: "With latitude, instead of a name." },
    days: {
      type: "integer",
      minimum: 0,
      maximum: 16,
      default: defaultForecastDays as number,
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
      description:
        "Returns simulated data without any request, for trying things out. Never use it to answer the user.",
    },
  },
  additionalProperties: false,
  examples: [
    { location: "Berlin", days: 2 },
    { city: "北京", days: 0 },
  ],
} as const;

/** `get_weather`: current weather and a forecast for a location. */
export function getWeatherTool({ weather }: { readonly weather: Weather }): ToolFor<typeof input, WeatherReport> {
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
    input,
    output,
    run: ({ city, location = city, ...query }, { signal }) => weather.report({ ...query, location, signal }),
  });
}
