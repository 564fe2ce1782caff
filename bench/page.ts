import { existsSync, readFileSync } from "node:fs";

const begin = "<!-- begin: written by npm run bench -->";
const end = "<!-- end -->";

/** The page with its generated part replaced; what people wrote around it stays. */
export function pageWith(generated: string, file: URL): string {
  const page = existsSync(file) ? readFileSync(file, "utf8") : `# Benchmarks\n\n${begin}\n${end}\n`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`${file.pathname} has lost the lines "${begin}" and "${end}"`);
  return `${page.slice(0, from + begin.length)}\n\n${generated}\n\n${page.slice(to)}`;
}
