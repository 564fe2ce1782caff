import { definedOnly } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import { type WeatherHost, fetchWeather } from "./fetch-weather.ts";
import type { WeatherLanguage } from "./weather-codes.ts";
import { weatherFailure } from "./weather-reasons.ts";

/** A geographic location. */
export interface GeoPlace {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  /** The first division of the country: a state, a province. */
  readonly region?: string;
  readonly country?: string;
  readonly country_code?: string;
  readonly timezone?: string;
}

/** A location with the data that {@link choosePlace} needs. */
export interface GeocodedPlace extends GeoPlace {
  readonly population: number;
  /** Areas that contain the location, by name and code. */
  readonly within: readonly string[];
}

/** Suffixes of Chinese names that a gazetteer often omits. */
const ending = /(?<=..)(?:特别行政区|自治区|自治州|地区|[市县区省州])$/;

/**
 * Finds locations by name, best first. Text after a comma (Springfield, Illinois) is used only by {@link choosePlace}.
 */
export async function searchPlaces(
  host: WeatherHost,
  location: string,
  language: WeatherLanguage,
  signal?: AbortSignal,
): Promise<GeocodedPlace[]> {
  const [name] = partsOf(location);
  for (const tried of new Set([name, name.replace(ending, "")])) {
    const query = { name: tried, count: 20, language, format: "json" };
    const { results } = await fetchWeather(host, { path: "/v1/search", query, signal });
    const places = Array.isArray(results) ? results.flatMap(readPlace) : [];
    if (places.length > 0) return places;
  }
  return [];
}

/** The name of a location, and the areas that select one of that name. */
function partsOf(location: string): [name: string, ...within: string[]] {
  const [name = "", ...within] = location
    .slice(0, 200)
    .split(/[,，]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return [name, ...within];
}

function readPlace(found: unknown): GeocodedPlace[] {
  if (!isRecord(found)) return [];
  const name = trimmedString(found["name"]);
  const { latitude, longitude, population } = found;
  if (name === undefined || !isWithin(latitude, 90) || !isWithin(longitude, 180)) return [];
  const region = trimmedString(found["admin1"]);
  const country = trimmedString(found["country"]);
  const code = trimmedString(found["country_code"]);
  const timezone = trimmedString(found["timezone"]);
  const areas = ["admin1", "admin2", "admin3", "admin4", "country", "country_code"].map((key) =>
    trimmedString(found[key]),
  );
  return [
    {
      name,
      latitude,
      longitude,
      ...definedOnly({ region, country, country_code: code, timezone }),
      population: typeof population === "number" ? population : 0,
      within: areas.filter((area) => area !== undefined),
    },
  ];
}

function trimmedString(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? stripUnsafe(value.slice(0, 200)).trim() : undefined;
}

function isWithin(value: unknown, limit: number): value is number {
  return typeof value === "number" && Math.abs(value) <= limit;
}

/** A location is chosen without confirmation if its population is this many times that of the next one. */
const dominance = 5;
const maxListed = 6;

/** Chooses the intended location and returns the others of its name. Fails with the candidates if it is ambiguous. */
export function choosePlace(
  places: readonly GeocodedPlace[],
  { location, country }: { readonly location: string; readonly country?: string | undefined },
): { readonly place: GeoPlace; readonly alternatives: readonly string[] } {
  const [name, ...within] = partsOf(location);
  const query = [...within, ...(country === undefined ? [] : [country])].map(fold).filter((part) => part !== "");
  const fitting = apart(
    places.filter((place) => query.every((part) => place.within.some((area) => isArea(area, part)))),
  );
  const exact = fitting.filter((place) => fold(place.name) === fold(name));
  const candidates = (exact.length > 0 ? exact : fitting).toSorted((a, b) => b.population - a.population);
  const [first, second] = candidates;
  if (first === undefined) throw notFound(location, places);
  if (second !== undefined && first.population < dominance * Math.max(1, second.population)) {
    throw ambiguous(location, candidates);
  }
  const { population: _people, within: _areas, ...place } = first;
  return { place, alternatives: candidates.slice(1, 4).map(describe) };
}

/** True if this is the area, or the beginning of its name (江苏 for 江苏省). */
function isArea(area: string, query: string): boolean {
  const folded = fold(area);
  return (
    folded === query ||
    (query.length > 1 && folded.startsWith(query) && folded.length - query.length <= 7 && /\p{sc=Han}/u.test(folded))
  );
}

/** Merges duplicate entries of one location, such as a city and its district. */
function apart(places: readonly GeocodedPlace[]): GeocodedPlace[] {
  const stored: GeocodedPlace[] = [];
  for (const place of places) {
    const same = stored.some(
      (other) => Math.hypot(other.latitude - place.latitude, other.longitude - place.longitude) < 0.3,
    );
    if (!same) stored.push(place);
  }
  return stored;
}

function fold(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").trim().toLowerCase().replace(ending, "");
}

function describe({ name, region, country, latitude, longitude }: GeoPlace): string {
  const words = [name, region, country].filter((part) => part !== undefined);
  return `${words.join(", ")} (${latitude.toFixed(2)}, ${longitude.toFixed(2)})`;
}

function list(places: readonly GeocodedPlace[]): string {
  return places.slice(0, maxListed).map(describe).join("; ");
}

function notFound(location: string, others: readonly GeocodedPlace[]): Error {
  const near = others.length > 0 ? ` There are: ${list(others)}.` : "";
  const message = `no location ${JSON.stringify(location.slice(0, 100))} was found; check the spelling, or send \`latitude\` and \`longitude\`.${near}`;
  return weatherFailure("place_not_found", message, { parameter: "location" });
}

function ambiguous(location: string, candidates: readonly GeocodedPlace[]): Error {
  const message =
    `${JSON.stringify(location.slice(0, 100))} matches several locations; add the region or country after a comma, or ` +
    `send \`latitude\` and \`longitude\`: ${list(candidates)}`;
  return weatherFailure("ambiguous_place", message, { parameter: "location" });
}
