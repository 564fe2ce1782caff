/**
 * Limits of what is parsed and checked in one turn of the event loop. They are counted while a text is read, before
 * any work that depends on the number of keys. `docs/guide/engine.md` has the same table; a test compares both.
 */
export const inputLimits = {
  /** Arguments as JSON text. */
  argumentBytes: 1_048_576,
  argumentDepth: 64,
  /** Keys and items of arguments as JSON text. */
  argumentKeys: 100_000,
  /** Keys of arguments as an object, such as the output of another step. */
  argumentObjectKeys: 250_000,
  /** Keys and items of one request to the MCP server over HTTP. */
  requestKeys: 100_000,
  /** Tool files and windlass.yaml. */
  fileBytes: 65_536,
  chainFileBytes: 1_048_576,
  /** Keys and items of a YAML file or `mcp.json`. */
  yamlKeys: 50_000,
  yamlDepth: 64,
  /** Anchors and aliases of a YAML file; both are errors, and these are reported. */
  yamlAnchors: 100,
} as const;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/**
 * True if a JSON text has more keys and items than the limit. Reads the text once, without parsing it, and stops at the
 * limit.
 */
export function exceedsJsonKeys(text: string, limit: number): boolean {
  // Each key or item takes two characters: `0,`. Brackets are not counted: nesting has its own limit.
  if (text.length <= 2 * limit) return false;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote) at = endOfText(text, at);
    else if (unit === comma && ++count >= limit) return true;
  }
  return false;
}

/** Offset of the quote that ends a JSON text. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === backslash) before--;
  return (at - before) % 2 === 1;
}

/** True if an object, with all objects inside of it, has more keys than the limit. Items of lists do not count. */
export function exceedsKeys(value: unknown, limit: number): boolean {
  try {
    return subtractKeys(value, limit, 0) < 0;
  } catch {
    // A getter or a proxy threw; the validation reports it.
    return false;
  }
}

/** Deeper values are not counted: they are rejected for their depth, or never looked into. */
const maxDepth = 200;

function subtractKeys(value: unknown, left: number, depth: number): number {
  if (typeof value !== "object" || value === null || depth > maxDepth) return left;
  let rest = left;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && rest >= 0; index++) rest = subtractKeys(value[index], rest, depth + 1);
    return rest;
  }
  for (const key in value) {
    if (--rest < 0) break;
    rest = subtractKeys((value as Record<string, unknown>)[key], rest, depth + 1);
    if (rest < 0) break;
  }
  return rest;
}
