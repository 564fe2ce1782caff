import type { Pace } from "../../file/index.ts";

/** So much of a text is searched without a rest. */
const windowChars = 65_536;

/** The search that comes with the language may compare every character of a part with every one of a text. */
const longPart = 1_000;

/** Where a part stands in a text, from the first place on and without overlaps; some places at a time. */
export function findPlaces(text: string, part: string, pace: Pace): AsyncGenerator<readonly number[]> {
  return part.length > longPart ? findLong(text, part, pace) : findShort(text, part, pace);
}

async function* findShort(text: string, part: string, pace: Pace): AsyncGenerator<readonly number[]> {
  if (part === "") return;
  for (let start = 0; start + part.length <= text.length;) {
    const window = text.slice(start, start + windowChars + part.length - 1);
    const places: number[] = [];
    let next = start + windowChars;
    for (let at = window.indexOf(part); at !== -1; at = window.indexOf(part, at + part.length)) {
      places.push(start + at);
      next = Math.max(next, start + at + part.length);
    }
    if (places.length > 0) yield places;
    await pace.rest();
    start = next;
  }
}

/** In time linear in both, by Knuth, Morris and Pratt. */
async function* findLong(text: string, part: string, pace: Pace): AsyncGenerator<readonly number[]> {
  if (part.length > text.length) return;
  const borders = await bordersOf(part, pace);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code === part.charCodeAt(matched)) matched++;
    if (matched === part.length) {
      yield [at - matched + 1];
      matched = 0;
    }
    if (at % windowChars === 0) await pace.rest();
  }
}

/** For each beginning of a part, how long the longest end of it is that the part also begins with. */
async function bordersOf(part: string, pace: Pace): Promise<Uint32Array> {
  const borders = new Uint32Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at++) {
    while (length > 0 && part.charCodeAt(at) !== part.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (part.charCodeAt(at) === part.charCodeAt(length)) length++;
    borders[at] = length;
    if (at % windowChars === 0) await pace.rest();
  }
  return borders;
}
