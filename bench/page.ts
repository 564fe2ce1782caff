import { existsSync, readFileSync } from "node:fs";

const begin = "<!-- begin: written by npm run bench -->";
const end = "<!-- end -->";

/** Returns the page with its generated part replaced; the text around it is unchanged. */
export function pageWith(generated: string, file: URL): string {
  const page = existsSync(file) ? readFileSync(file, "utf8") : `# Benchmarks\n\n${begin}\n${end}\n`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`${file.pathname} does not contain the lines "${begin}" and "${end}"`);
  return `${page.slice(0, from + begin.length)}\n\n${generated}\n\n${page.slice(to)}`;
}
