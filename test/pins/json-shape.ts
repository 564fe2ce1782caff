/** The paths of a JSON value with their types, such as `steps[].id: string`; values do not matter. */
export function jsonShape(value: unknown, at = ""): string[] {
  return [...new Set(paths(value, at))].toSorted();
}

function paths(value: unknown, at: string): string[] {
  if (Array.isArray(value)) return [`${at}[]`, ...value.flatMap((item) => paths(item, `${at}[]`))];
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => paths(inner, at === "" ? key : `${at}.${key}`));
  return [`${at}: ${value === null ? "null" : typeof value}`];
}
