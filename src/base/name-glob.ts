/** Compiles `list_*` to a test of names; everything but `*` is literal, so that matching takes linear time. */
export function nameGlob(glob: string): (name: string) => boolean {
  const parts = glob.split("*");
  const [head = "", ...rest] = parts;
  const tail = rest.pop();
  if (tail === undefined) return (name) => name === glob;
  return (name) => {
    if (name.length < head.length + tail.length || !name.startsWith(head) || !name.endsWith(tail)) return false;
    let from = head.length;
    for (const part of rest) {
      const at = name.indexOf(part, from);
      if (at === -1 || at + part.length > name.length - tail.length) return false;
      from = at + part.length;
    }
    return true;
  };
}

/**
 * The name without differences of case. Case differs between scripts: `ı` and `i` have the same capital letter, and a
 * capital sigma has two small ones.
 */
export function foldName(name: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\0-\x7f]*$/.test(name)) return name.toLowerCase();
  return name.normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

/** The same as {@link nameGlob}, for names in any case. */
export function foldedNameGlob(glob: string): (name: string) => boolean {
  const fits = nameGlob(foldName(glob));
  return (name) => fits(foldName(name));
}
