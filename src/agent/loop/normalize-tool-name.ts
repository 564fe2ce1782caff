const dressed = /^\s|\s$|^functions\./;

/**
 * The name of an offered tool without what some models write around it: blanks, and `functions.` before it. Any other
 * name is left as it is.
 */
export function bareName(name: string, isOffered: (name: string) => boolean): string {
  if (!dressed.test(name)) return name;
  const trimmed = name.trim();
  return [name, trimmed, trimmed.replace(/^functions\./, "")].find(isOffered) ?? name;
}
