/** `list_*` as a test of names; everything but `*` is literal, so that matching takes linear time. */
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

/** What a table of names and globs says about a name: the name itself goes first, then the first glob that fits. */
export function byName<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  if (Object.hasOwn(table, name)) return table[name];
  return Object.entries(table).find(([glob]) => glob.includes("*") && nameGlob(glob)(name))?.[1];
}
