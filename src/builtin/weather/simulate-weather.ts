import { type CurrentWeather, type DailyWeather, defaultForecastDays } from "./forecast.ts";
import { describeWeather, resolveWeatherLanguage, weatherCodes } from "./weather-codes.ts";
import type { WeatherQuery, WeatherReport } from "./weather.ts";

const dayMs = 86_400_000;

/** Simulated weather for trying things out: the same for the same location and day, and marked as simulated. */
export function simulateWeather(query: WeatherQuery, now: number): WeatherReport {
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
