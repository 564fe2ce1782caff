/** Writes the list of built-in tools and the generated pages; with --check, reports files that are out of date and fails. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { builtinRegistry } from "./docs/builtin-registry.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const check = process.argv.includes("--check");

async function update(file: string, text: string): Promise<void> {
  const before = await readFile(`${root}/${file}`, "utf8").catch(() => "");
  if (before === text) return;
  if (check) {
    console.error(`${file} is out of date; run: npm run docs`);
    process.exitCode = 1;
  } else {
    await mkdir(dirname(`${root}/${file}`), { recursive: true });
    await writeFile(`${root}/${file}`, text);
    console.log(`wrote ${file}`);
  }
}

await update("src/builtin/builtin-registry.ts", await builtinRegistry());
// Imported late, because the pages import the list.
const { pages } = await import("./docs/pages.ts");
for (const [file, make] of Object.entries(pages)) await update(file, await make());
