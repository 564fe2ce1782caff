/** Does a name match one of these, in which `*` stands for any part? */
export function matchesName(name: string, globs: readonly string[]): boolean {
  return globs.some((glob) => (glob.includes("*") ? matches(name, glob.split("*")) : glob === name));
}

function matches(name: string, parts: readonly string[]): boolean {
  const [head = "", ...rest] = parts;
  const tail = rest.pop() ?? "";
  if (name.length < head.length + tail.length || !name.startsWith(head) || !name.endsWith(tail)) return false;
  let from = head.length;
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at === -1 || at + part.length > name.length - tail.length) return false;
    from = at + part.length;
  }
  return true;
}
