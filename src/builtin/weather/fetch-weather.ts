import { type Clock, isFailureError, parseJson } from "../../base/index.ts";
import { type HttpClient, type HttpResponse, retryAfterMs } from "../../net/index.ts";
import { isRecord } from "../../schema/index.ts";
import { showUnsafe } from "../../text/index.ts";
import { weatherFailure } from "./weather-reasons.ts";

/** One service of open-meteo's kind. */
export interface WeatherHost {
  readonly http: HttpClient;
  /** Without the path: `https://api.open-meteo.com`. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  readonly clock: Clock;
}

/** Request to a weather service. */
export interface WeatherRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string | number>>;
  readonly signal?: AbortSignal | undefined;
}

const requestMs = 15_000;

/** Time for a whole report: two requests, and a little. */
export const weatherMs = 40_000;
const maxAnswerSize = 1 << 20;

/** Sends a request to a weather service and returns the JSON object of the response. */
export async function fetchWeather(
  host: WeatherHost,
  request: WeatherRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await send(host, request);
  const name = hostLabel(host);
  const answer = parse(response);
  if (response.status === 429) {
    const wait = retryAfterMs(headerOf(response, "retry-after"), host.clock.now());
    throw weatherFailure("weather_limited", `${name} rate-limits requests; try again later, or use your own instance`, {
      ...(wait !== undefined && { retryAfterMs: wait }),
    });
  }
  if (response.status >= 500) {
    throw weatherFailure("weather_down", `${name} fails with status ${response.status}; try again later`);
  }
  if (response.status !== 200) {
    const reason = typeof answer?.["reason"] === "string" ? `: ${showUnsafe(answer["reason"].slice(0, 300))}` : "";
    throw weatherFailure("weather_refused", `${name} refuses the request with status ${response.status}${reason}`);
  }
  if (answer !== undefined && !response.truncated) return answer;
  throw weatherFailure("bad_weather_answer", `${name} does not answer with JSON; check the configured address`);
}

async function send(host: WeatherHost, { path, query, signal }: WeatherRequest): Promise<HttpResponse> {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) parameters.set(key, String(value));
  if (host.apiKey !== undefined) parameters.set("apikey", host.apiKey);
  try {
    return await host.http.request({
      url: `${host.url.replace(/\/+$/, "")}${path}?${parameters.toString()}`,
      headers: { accept: "application/json" },
      timeoutMs: requestMs,
      maxBytes: maxAnswerSize,
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    if (!isFailureError(error)) throw error;
    if (error.code === "timeout") {
      const slow = `${hostLabel(host)} did not answer within ${requestMs / 1000} s; try again later`;
      // A service that used up the time of a call is not retried within it.
      throw weatherFailure("weather_slow", slow, { retryAfterMs: weatherMs, cause: error });
    }
    if (error.code !== "not_available") throw error;
    const message =
      `${hostLabel(host)} cannot be reached (${error.message}); check the network, or configure a weather service that ` +
      "can be reached. `simulate: true` returns simulated data for trying things out";
    throw weatherFailure("weather_unreachable", message, { cause: error });
  }
}

function parse({ body }: HttpResponse): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(Buffer.from(body).toString("utf8"));
  return isRecord(value) ? value : undefined;
}

function hostLabel({ url }: WeatherHost): string {
  return `the weather service ${URL.canParse(url) ? new URL(url).host : JSON.stringify(url)}`;
}

function headerOf({ headers }: HttpResponse, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}
