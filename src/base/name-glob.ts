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
