/** Maximum length of a value in a message. */
const maxLength = 80;

/** Any value as it appears in a message: JSON-like, on one line, truncated to 80 characters. */
export function showValue(value: unknown): string {
  const text = write(value, maxLength, 0);
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…`.toWellFormed() : text;
}

/** Writes about `room` characters at most, so that a huge value costs nothing. */
function write(value: unknown, room: number, depth: number): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length > room ? `${value.slice(0, room)}…` : value);
    case "bigint":
      return `${value}n`;
    case "object":
      return value === null ? "null" : writeObject(value, room, depth);
    case "function":
      return "a function";
    case "undefined":
      return "nothing";
    case "symbol":
    case "number":
    case "boolean":
    default:
      return String(value);
  }
}

function writeObject(value: object, room: number, depth: number): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid date" : value.toISOString();
  if (Array.isArray(value)) return depth > 3 ? "[…]" : `[${writeItems(value, room, depth)}]`;
  return depth > 3 ? "{…}" : `{${writeEntries(value, room, depth)}}`;
}

function writeItems(items: readonly unknown[], room: number, depth: number): string {
  let text = "";
  for (const [index, item] of items.entries()) {
    if (text.length > room) return `${text},…`;
    text += (index === 0 ? "" : ",") + write(item, room, depth + 1);
  }
  return text;
}

function writeEntries(value: object, room: number, depth: number): string {
  let text = "";
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    if (text.length > room) return `${text},…`;
    // Own and enumerable, so it is the caller's data.
    const item = (value as Record<string, unknown>)[key];
    text += `${text === "" ? "" : ","}${JSON.stringify(key.slice(0, room))}:${write(item, room, depth + 1)}`;
  }
  return text;
}
