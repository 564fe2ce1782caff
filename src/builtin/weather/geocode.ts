import { isRecord } from "../../schema/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import { type WeatherHost, askWeather } from "./ask-weather.ts";
import type { WeatherLanguage } from "./weather-codes.ts";
import { worldFailure } from "./world-reasons.ts";

/** A place on earth. */
export interface Place {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  /** The first division of the country: a state, a province. */
  readonly region?: string;
  readonly country?: string;
  readonly country_code?: string;
  readonly timezone?: string;
}

/** A place with what helps to choose it. */
export interface FoundPlace extends Place {
  readonly population: number;
  /** Everything that the place lies in, by name and code. */
  readonly within: readonly string[];
}

/** Which places are looked for. */
export interface PlaceSearch {
  readonly location: string;
  readonly language: WeatherLanguage;
  readonly signal?: AbortSignal | undefined;
}

/** Endings of Chinese names that a list of places often leaves out. */
const ending = /(?<=..)(?:特别行政区|自治区|自治州|地区|[市县区省州])$/;

/** Places by name, best first. What stands after a comma (Springfield, Illinois) is left to {@link choosePlace}. */
export async function searchPlaces(
  host: WeatherHost,
  { location, language, signal }: PlaceSearch,
): Promise<FoundPlace[]> {
  const [name] = partsOf(location);
  for (const tried of new Set([name, name.replace(ending, "")])) {
    const query = { name: tried, count: 20, language, format: "json" };
    const { results } = await askWeather(host, { path: "/v1/search", query, signal });
    const places = Array.isArray(results) ? results.flatMap(readPlace) : [];
    if (places.length > 0) return places;
  }
  return [];
}

/** The name of a place, and what says which one of that name. */
function partsOf(location: string): [name: string, ...within: string[]] {
  const [name = "", ...within] = location
    .slice(0, 200)
    .split(/[,，]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return [name, ...within];
}

function readPlace(found: unknown): FoundPlace[] {
  if (!isRecord(found)) return [];
  const name = textOf(found["name"]);
  const { latitude, longitude, population } = found;
  if (name === undefined || !isWithin(latitude, 90) || !isWithin(longitude, 180)) return [];
  const region = textOf(found["admin1"]);
  const country = textOf(found["country"]);
  const code = textOf(found["country_code"]);
  const timezone = textOf(found["timezone"]);
  const areas = ["admin1", "admin2", "admin3", "admin4", "country", "country_code"].map((key) => textOf(found[key]));
  return [
    {
      name,
      latitude,
      longitude,
      ...(region !== undefined && { region }),
      ...(country !== undefined && { country }),
      ...(code !== undefined && { country_code: code }),
      ...(timezone !== undefined && { timezone }),
      population: typeof population === "number" ? population : 0,
      within: areas.filter((area) => area !== undefined),
    },
  ];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? stripUnsafe(value.slice(0, 200)).trim() : undefined;
}

function isWithin(value: unknown, most: number): value is number {
  return typeof value === "number" && Math.abs(value) <= most;
}

/** A place is taken without asking when it has so many times the people of the next one. */
const dominance = 5;
const mostShown = 6;

/**
 * The place that is meant, with the others of its name. Fails with the candidates where that is not clear.
 */
export function choosePlace(
  places: readonly FoundPlace[],
  { location, country }: { readonly location: string; readonly country?: string | undefined },
): { readonly place: Place; readonly alternatives: readonly string[] } {
  const [name, ...within] = partsOf(location);
  const wanted = [...within, ...(country === undefined ? [] : [country])].map(fold).filter((part) => part !== "");
  const fitting = apart(
    places.filter((place) => wanted.every((part) => place.within.some((area) => isArea(area, part)))),
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

/** Is this the area, or the beginning of its name (江苏 for 江苏省)? */
function isArea(area: string, wanted: string): boolean {
  const folded = fold(area);
  return (
    folded === wanted ||
    (wanted.length > 1 && folded.startsWith(wanted) && folded.length - wanted.length <= 7 && /\p{sc=Han}/u.test(folded))
  );
}

/** One place listed several times, a city and its district, is one. */
function apart(places: readonly FoundPlace[]): FoundPlace[] {
  const kept: FoundPlace[] = [];
  for (const place of places) {
    const same = kept.some(
      (other) => Math.hypot(other.latitude - place.latitude, other.longitude - place.longitude) < 0.3,
    );
    if (!same) kept.push(place);
  }
  return kept;
}

function fold(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").trim().toLowerCase().replace(ending, "");
}

function describe({ name, region, country, latitude, longitude }: Place): string {
  const words = [name, region, country].filter((part) => part !== undefined);
  return `${words.join(", ")} (${latitude.toFixed(2)}, ${longitude.toFixed(2)})`;
}

function list(places: readonly FoundPlace[]): string {
  return places.slice(0, mostShown).map(describe).join("; ");
}

function notFound(location: string, others: readonly FoundPlace[]): Error {
  const near = others.length > 0 ? ` There are: ${list(others)}.` : "";
  const message = `no place ${JSON.stringify(location.slice(0, 100))} was found; check the spelling, or send \`latitude\` and \`longitude\`.${near}`;
  return worldFailure("place_not_found", message, { parameter: "location" });
}

function ambiguous(location: string, candidates: readonly FoundPlace[]): Error {
  const message =
    `${JSON.stringify(location.slice(0, 100))} may be one of several places; add the region or country after a comma, or ` +
    `send \`latitude\` and \`longitude\`: ${list(candidates)}`;
  return worldFailure("ambiguous_place", message, { parameter: "location" });
}
