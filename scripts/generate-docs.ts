/** Writes the generated pages; with --check, reports the pages that are out of date and fails. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { apiIndexPage, apiModules, apiPage } from "./docs/api-page.ts";
import { cliPage } from "./docs/cli-page.ts";
import { failuresPage } from "./docs/failures-page.ts";
import { layersPage } from "./docs/layers-page.ts";
import { chainFilePage, toolFilePage, workspacePage } from "./docs/schema-pages.ts";
import { toolsPage } from "./docs/tools-page.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  "src/README.md": layersPage,
  "docs/reference/failures.md": failuresPage,
  "docs/reference/cli.md": cliPage,
  "docs/reference/tool-file.md": toolFilePage,
  "docs/reference/chain-file.md": chainFilePage,
  "docs/reference/workspace.md": workspacePage,
  "docs/reference/tools.md": toolsPage,
  "docs/reference/api.md": apiIndexPage,
  ...Object.fromEntries(apiModules.map((module) => [`docs/reference/api/${module.page}`, () => apiPage(module)])),
};

const check = process.argv.includes("--check");
for (const [file, make] of Object.entries(pages)) {
  const text = await make();
  const before = await readFile(`${root}/${file}`, "utf8").catch(() => "");
  if (before === text) continue;
  if (check) {
    console.error(`${file} is out of date; run: npm run docs`);
    process.exitCode = 1;
  } else {
    await mkdir(dirname(`${root}/${file}`), { recursive: true });
    await writeFile(`${root}/${file}`, text);
    console.log(`wrote ${file}`);
  }
}
