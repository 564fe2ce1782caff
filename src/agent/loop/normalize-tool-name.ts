const dressed = /^\s|\s$|^functions\./;

/**
 * The name of an offered tool without additions that some models make: surrounding blanks, and the prefix `functions.`.
 * Any other name is returned unchanged.
 */
export function normalizeToolName(name: string, isOffered: (name: string) => boolean): string {
  if (!dressed.test(name)) return name;
  const trimmed = name.trim();
  return [name, trimmed, trimmed.replace(/^functions\./, "")].find(isOffered) ?? name;
}
