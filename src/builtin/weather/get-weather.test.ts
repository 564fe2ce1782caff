import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { fail as failure, systemClock } from "../../base/index.ts";
import { type Engine, createEngine } from "../../engine/index.ts";
import { createHttpClient } from "../../net/index.ts";
import type { InputOf } from "../../tool/index.ts";
import { type WeatherOptions, type WeatherReport, createWeather, getWeatherTool, weatherAttribution } from "./index.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Handler = (url: URL, response: ServerResponse) => void;

interface Station {
  readonly engine: Engine;
  /** Every requested address. */
  readonly requested: URL[];
}

/** A server on loopback in place of both services, and an engine with the tool. */
async function station(handler: Handler = openMeteo, options: Partial<WeatherOptions> = {}): Promise<Station> {
  const requested: URL[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const url = new URL(request.url ?? "", "http://127.0.0.1");
    requested.push(url);
    handler(url, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const http = createHttpClient({ allow: [`127.0.0.1:${port}`] });
  const base = `http://127.0.0.1:${port}`;
  const weather = createWeather({
    http,
    forecastUrl: `${base}/`,
    geocodingUrl: base,
    clock: { ...systemClock, now: () => Date.UTC(2026, 0, 31, 12) },
    ...options,
  });
  const engine = createEngine({ tools: [getWeatherTool({ weather })] });
  closing.push(async () => {
    await engine.close();
    await http.close();
    server.closeAllConnections();
    server.close();
  });
  return { engine, requested };
}

type GetWeatherInput = InputOf<ReturnType<typeof getWeatherTool>>;

async function weatherFor({ engine }: Station, input: GetWeatherInput): Promise<WeatherReport> {
  const result = await engine.call("get_weather", input, { maxRetries: 0 });
  if (!result.success) throw new Error(JSON.stringify(result.error));
  return result.output as WeatherReport;
}

async function fail(
  { engine }: Station,
  input: GetWeatherInput,
): Promise<{ code: string; reason?: string; message: string }> {
  const result = await engine.call("get_weather", input, { maxRetries: 0 });
  if (result.success) throw new Error("it did not fail");
  return result.error;
}

/** Locations in the format of the geocoding service. */
const positions: Record<string, unknown[]> = {
  Berlin: [
    position("Berlin", {
      latitude: 52.52,
      longitude: 13.41,
      country: "Germany",
      country_code: "DE",
      admin1: "Land Berlin",
      population: 3_426_354,
    }),
    position("Berlin", {
      latitude: 44.47,
      longitude: -71.18,
      country: "United States",
      country_code: "US",
      admin1: "New Hampshire",
      population: 9_367,
    }),
  ],
  Springfield: [
    position("Springfield", {
      latitude: 37.22,
      longitude: -93.3,
      country: "United States",
      country_code: "US",
      admin1: "Missouri",
      population: 169_176,
    }),
    position("Springfield", {
      latitude: 42.1,
      longitude: -72.59,
      country: "United States",
      country_code: "US",
      admin1: "Massachusetts",
      population: 155_929,
    }),
    position("Springfield", {
      latitude: 39.8,
      longitude: -89.64,
      country: "United States",
      country_code: "US",
      admin1: "Illinois",
      population: 114_394,
    }),
  ],
  北京: [
    position("北京", {
      latitude: 39.91,
      longitude: 116.4,
      country: "中国",
      country_code: "CN",
      admin1: "北京市",
      population: 18_960_744,
    }),
    position("北京", { latitude: 25.9, longitude: 113.1, country: "中国", country_code: "CN", admin1: "湖南省" }),
  ],
  朝阳: [
    position("朝阳", {
      latitude: 41.57,
      longitude: 120.45,
      country: "中国",
      country_code: "CN",
      admin1: "辽宁省",
      population: 300_000,
    }),
    position("朝阳区", {
      latitude: 39.92,
      longitude: 116.44,
      country: "中国",
      country_code: "CN",
      admin1: "北京市",
      population: 350_000,
    }),
  ],
  "São Paulo": [
    position("São Paulo", {
      latitude: -23.55,
      longitude: -46.64,
      country: "Brazil",
      country_code: "BR",
      admin1: "São Paulo",
      population: 10_021_295,
    }),
  ],
  Odd: [
    null,
    7,
    { name: 5 },
    { name: "x", latitude: 900, longitude: 0 },
    { name: "Odd", latitude: "1", longitude: 2 },
    position("Odd\u001b[31m\u202e", { latitude: 1, longitude: 2 }),
  ],
};

function position(name: string, more: Record<string, unknown>): Record<string, unknown> {
  return { id: 1, name, elevation: 10, feature_code: "PPL", timezone: "Europe/Berlin", ...more };
}

const openMeteo: Handler = (url, response) => {
  response.setHeader("content-type", "application/json; charset=utf-8");
  if (url.pathname === "/v1/search") {
    const results = positions[url.searchParams.get("name") ?? ""];
    response.end(JSON.stringify({ ...(results !== undefined && { results }), generationtime_ms: 0.5 }));
    return;
  }
  const imperial = url.searchParams.get("temperature_unit") === "fahrenheit";
  const days = Number(url.searchParams.get("forecast_days") ?? 0);
  const each = <T>(value: T): T[] => Array.from({ length: days }, () => value);
  response.end(
    JSON.stringify({
      latitude: Number(url.searchParams.get("latitude")),
      timezone: "Europe/Berlin",
      current_units: {
        temperature_2m: imperial ? "°F" : "°C",
        wind_speed_10m: imperial ? "mp/h" : "km/h",
        precipitation: imperial ? "inch" : "mm",
      },
      current: {
        time: "2026-01-31T13:00",
        interval: 900,
        weather_code: 61,
        temperature_2m: 4.5,
        apparent_temperature: 1.2,
        relative_humidity_2m: 81,
        precipitation: 0.3,
        wind_speed_10m: 14.4,
        wind_direction_10m: 250,
      },
      ...(days > 0 && {
        daily: {
          time: Array.from({ length: days }, (_, at) =>
            new Date(Date.UTC(2026, 0, 31 + at)).toISOString().slice(0, 10),
          ),
          weather_code: each(3),
          temperature_2m_max: each(6),
          temperature_2m_min: each(-1),
          precipitation_sum: each(0),
          precipitation_probability_max: each(null),
          wind_speed_10m_max: each(20),
          sunrise: each("2026-01-31T07:50"),
          sunset: each("2026-01-31T16:49"),
        },
      }),
    }),
  );
};

describe("[D06] get_weather returns", () => {
  test("current weather and forecast of a location by its name, with the attribution that the license requires", async () => {
    const where = await station();
    const report = await weatherFor(where, { location: "Berlin", days: 2 });
    expect(report).toEqual({
      location: {
        name: "Berlin",
        latitude: 52.52,
        longitude: 13.41,
        region: "Land Berlin",
        country: "Germany",
        country_code: "DE",
        timezone: "Europe/Berlin",
      },
      current: {
        time: "2026-01-31T13:00",
        weather_code: 61,
        condition: "light rain",
        temperature: 4.5,
        feels_like: 1.2,
        humidity: 81,
        precipitation: 0.3,
        wind_speed: 14.4,
        wind_direction: 250,
      },
      daily: ["2026-01-31", "2026-02-01"].map((date) => ({
        date,
        weather_code: 3,
        condition: "overcast",
        temperature_max: 6,
        temperature_min: -1,
        precipitation: 0,
        wind_speed_max: 20,
        sunrise: "2026-01-31T07:50",
        sunset: "2026-01-31T16:49",
      })),
      units: { temperature: "°C", wind_speed: "km/h", precipitation: "mm" },
      alternatives: ["Berlin, New Hampshire, United States (44.47, -71.18)"],
      attribution: weatherAttribution,
    });
    expect(weatherAttribution).toMatch(/Open-Meteo\.com.*CC BY 4\.0/);
    const [search, forecast] = where.requested;
    expect(Object.fromEntries(search!.searchParams)).toEqual({
      name: "Berlin",
      count: "20",
      language: "en",
      format: "json",
    });
    expect(forecast!.pathname).toBe("/v1/forecast");
    expect(Object.fromEntries(forecast!.searchParams)).toMatchObject({
      latitude: "52.52",
      longitude: "13.41",
      timezone: "auto",
      forecast_days: "2",
    });
  });

  test.each<[GetWeatherInput, string]>([
    [{ city: "北京" }, "小雨"],
    [{ location: "北京市" }, "小雨"],
    [{ location: "北京", language: "en" }, "light rain"],
  ])("the weather of a Chinese name: %j", async (input, condition) => {
    const report = await weatherFor(await station(), input);
    expect(report.location).toMatchObject({ latitude: 39.91, longitude: 116.4 });
    expect(report.current.condition).toBe(condition);
  });

  test.each<[GetWeatherInput, number]>([
    [{ location: "Springfield, Illinois" }, 39.8],
    [{ location: "springfield，MASSACHUSETTS, US".replace("springfield", "Springfield") }, 42.1],
    [{ location: "Springfield, Missouri", country: "united states" }, 37.22],
    [{ location: "Berlin", country: "us" }, 44.47],
    [{ location: "朝阳，北京" }, 39.92],
    [{ location: "朝阳, 辽宁省" }, 41.57],
    [{ location: "São Paulo, Sao Paulo" }, -23.55],
  ])("the location that %j refers to", async (input, latitude) => {
    expect((await weatherFor(await station(), input)).location.latitude).toBe(latitude);
  });

  test("the weather at coordinates, without geocoding", async () => {
    const where = await station();
    const report = await weatherFor(where, { latitude: 1.5, longitude: -2, days: 0, units: "imperial" });
    expect(report.location).toEqual({ name: "1.5, -2", latitude: 1.5, longitude: -2, timezone: "Europe/Berlin" });
    expect(report.daily).toEqual([]);
    expect(report.units).toEqual({ temperature: "°F", wind_speed: "mp/h", precipitation: "inch" });
    expect(where.requested.map(({ pathname }) => pathname)).toEqual(["/v1/forecast"]);
    expect(where.requested[0]!.searchParams.has("daily")).toBe(false);
  });

  test("foreign names without invisible characters, and only valid locations", async () => {
    expect((await weatherFor(await station(), { location: "Odd" })).location).toMatchObject({
      name: "Odd",
      latitude: 1,
    });
  });

  test("a subscriber's key to the service", async () => {
    const where = await station(openMeteo, { apiKey: "k-123" });
    await weatherFor(where, { location: "Berlin" });
    expect(where.requested.map(({ searchParams }) => searchParams.get("apikey"))).toEqual(["k-123", "k-123"]);
  });
});

describe("get_weather rejects ambiguous and invalid input", () => {
  test("an ambiguous name, with the candidates", async () => {
    const error = await fail(await station(), { location: "Springfield" });
    expect(error).toMatchObject({ code: "validation_error", reason: "ambiguous_place", retry: "never" });
    expect(error.message).toContain("Springfield, Illinois, United States (39.80, -89.64)");
  });

  test.each<[GetWeatherInput, string]>([
    [{ location: "Nosuchplace" }, "place_not_found"],
    [{ location: "Springfield, Bavaria" }, "place_not_found"],
    [{ location: " , " }, "place_not_found"],
    [{ location: "  " }, "no_place"],
    [{}, "no_place"],
    [{ latitude: 5 }, "no_place"],
    [{ simulate: true }, "no_place"],
  ])("%j (%s)", async (input, reason) => {
    expect(await fail(await station(), input)).toMatchObject({ code: "validation_error", reason });
  });

  test("invalid coordinates", async () => {
    const result = await (await station()).engine.call("get_weather", { latitude: 91, longitude: 0 });
    expect(result).toMatchObject({ success: false, error: { code: "validation_error" } });
  });
});

describe("get_weather fails", () => {
  const answering = (status: number, body: string, headers: Record<string, string> = {}): Handler => {
    return (_url, response) => response.writeHead(status, headers).end(body);
  };

  test.each<[string, Handler, Record<string, unknown>]>([
    [
      "when it is asked too often",
      answering(429, "{}", { "retry-after": "7" }),
      { code: "not_available", reason: "weather_limited", retryAfterMs: 7000 },
    ],
    ["when the service does", answering(503, "oops"), { code: "not_available", reason: "weather_down", retry: "safe" }],
    [
      "when the service refuses",
      answering(400, '{"error":true,"reason":"Cannot initialize"}'),
      { code: "execution_error", reason: "weather_refused", message: expect.stringContaining("Cannot initialize") },
    ],
    ["on a page instead of data", answering(200, "<html>"), { code: "execution_error", reason: "bad_weather_answer" }],
    ["on a list instead of data", answering(200, "[]"), { code: "execution_error", reason: "bad_weather_answer" }],
    ["on data without weather", answering(200, "{}"), { code: "execution_error", reason: "bad_weather_answer" }],
    [
      "on data that is too deep",
      answering(200, "[".repeat(500_000)),
      { code: "execution_error", reason: "bad_weather_answer" },
    ],
    [
      "on more data than any weather",
      answering(200, `{"a":"${"x".repeat(2 << 20)}"}`),
      { code: "execution_error", reason: "bad_weather_answer" },
    ],
  ])("%s", async (_when, handler, expected) => {
    expect(await fail(await station(handler), { latitude: 1, longitude: 2 })).toMatchObject(expected);
  });

  test("it fails as unavailable when offline, with a hint what to do; it never simulates data unless requested", async () => {
    const http = createHttpClient({ allow: ["127.0.0.1:9"] });
    const weather = createWeather({
      http,
      forecastUrl: "http://127.0.0.1:9",
      geocodingUrl: "http://127.0.0.1:9",
    });
    const engine = createEngine({ tools: [getWeatherTool({ weather })] });
    closing.push(
      () => engine.close(),
      () => http.close(),
    );
    const result = await engine.call("get_weather", { location: "Berlin" }, { maxRetries: 0 });
    expect(result).toMatchObject({
      success: false,
      error: { code: "not_available", reason: "weather_unreachable", retry: "safe" },
    });
    expect(JSON.stringify(result)).toContain("simulate: true");
  });

  test("it fails when its call is cancelled", async () => {
    const controller = new AbortController();
    const { engine } = await station(() => controller.abort());
    const result = await engine.call("get_weather", { location: "Berlin" }, { signal: controller.signal });
    expect(result).toMatchObject({ success: false, error: { code: "cancelled" } });
  });
});

describe("[D06] get_weather simulates", () => {
  test("it simulates only on request, without a request to the service, and marks the result", async () => {
    const where = await station();
    const report = await weatherFor(where, { city: "上海", days: 3, simulate: true });
    expect(report).toMatchObject({ simulated: true, location: { name: "上海" } });
    expect(report.attribution).toContain("Simulated");
    expect(report.daily.map(({ date }) => date)).toEqual(["2026-01-31", "2026-02-01", "2026-02-02"]);
    expect(where.requested).toEqual([]);
    expect(await weatherFor(where, { city: "上海", days: 3, simulate: true })).toEqual(report);
    expect(await weatherFor(where, { location: "Berlin" })).not.toHaveProperty("simulated");
  });

  test("it simulates other units, and no days", async () => {
    const where = await station();
    const metric = await weatherFor(where, { location: "x", simulate: true });
    const imperial = await weatherFor(where, { location: "x", simulate: true, units: "imperial", days: 0 });
    expect(imperial.daily).toEqual([]);
    expect(imperial.current.temperature).toBeCloseTo(metric.current.temperature! * 1.8 + 32, 0);
  });

  test("data for its own examples", async () => {
    const where = await station();
    const tool = getWeatherTool({ weather: createWeather({ http: createHttpClient() }) });
    for (const example of tool.input.json["examples"] as GetWeatherInput[]) {
      expect(await weatherFor(where, { ...example, simulate: true })).toMatchObject({ simulated: true });
    }
  });
});

describe("a default location", () => {
  test("is used if a call names none, and the description mentions it", async () => {
    const where = await station(openMeteo, { defaultPlace: "Berlin" });
    expect((await weatherFor(where, {})).location).toMatchObject({ name: "Berlin", latitude: 52.52 });
    expect((await weatherFor(where, { city: "北京" })).location.name).toBe("北京");
    expect(await fail(where, { latitude: 1 })).toMatchObject({ reason: "no_place" });
    const weather = createWeather({ http: createHttpClient(), defaultPlace: "Berlin" });
    expect(getWeatherTool({ weather }).description).toContain("Default location: Berlin.");
  });

  test("is undefined if none is configured", async () => {
    expect(await fail(await station(), {})).toMatchObject({ reason: "no_place" });
  });
});

test("a weather service that hangs is requested once per call", async () => {
  const timedOut = { request: () => Promise.reject(failure("no answer", { code: "timeout", reason: "timeout" })) };
  const where = await station(openMeteo, { http: { ...timedOut, close: () => Promise.resolve() } });
  expect(await where.engine.call("get_weather", { location: "Berlin" })).toMatchObject({
    error: { code: "timeout", reason: "weather_slow", retry: "safe", retryAfterMs: 40_000 },
    meta: { attempts: 1 },
  });
});
