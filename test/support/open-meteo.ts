import type { SiteHandler } from "./loopback-site.ts";

/** Answers as open-meteo does, for forecasts and geocoding: it rains everywhere. */
export const openMeteo: SiteHandler = (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
  const days = Number(searchParams.get("forecast_days") ?? 0);
  const answer = pathname.endsWith("/search") ? positions(searchParams.get("name") ?? "") : forecast(days);
  response.writeHead(200, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(answer));
};

function positions(name: string): object {
  const position = { id: 1, name, latitude: 52.52, longitude: 13.41, timezone: "Europe/Berlin", country: "Germany" };
  return { results: [{ ...position, country_code: "DE", population: 3_426_354 }] };
}

function forecast(days: number): object {
  const each = <T>(value: T): T[] => Array.from({ length: days }, () => value);
  return {
    timezone: "Europe/Berlin",
    current_units: { temperature_2m: "°C", wind_speed_10m: "km/h", precipitation: "mm" },
    current: {
      time: "2026-01-31T13:00",
      weather_code: 61,
      temperature_2m: 4.5,
      apparent_temperature: 1.2,
      relative_humidity_2m: 81,
      precipitation: 0.3,
      wind_speed_10m: 14.4,
      wind_direction_10m: 250,
    },
    daily: {
      time: Array.from({ length: days }, (_, day) => new Date(Date.UTC(2026, 0, 31 + day)).toISOString().slice(0, 10)),
      weather_code: each(3),
      temperature_2m_max: each(6),
      temperature_2m_min: each(-1),
      precipitation_sum: each(0.3),
      wind_speed_10m_max: each(20),
      sunrise: each("2026-01-31T07:50"),
      sunset: each("2026-01-31T16:49"),
    },
  };
}
