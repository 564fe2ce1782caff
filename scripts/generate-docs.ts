/** Writes the generated pages; with --check, reports the pages that are out of date and fails. */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Imported one by one: the pages after the list of built-in tools read it. */
const pages: Readonly<Record<string, () => Promise<string>>> = {
  "src/builtin/builtin-registry.ts": async () => (await import("./docs/builtin-registry.ts")).builtinRegistry(),
  "src/README.md": async () => (await import("./docs/layers-page.ts")).layersPage(),
  "docs/reference/failures.md": async () => (await import("./docs/failures-page.ts")).failuresPage(),
  "docs/reference/cli.md": async () => (await import("./docs/cli-page.ts")).cliPage(),
  "docs/reference/tool-file.md": async () => (await import("./docs/schema-pages.ts")).toolFilePage(),
  "docs/reference/chain-file.md": async () => (await import("./docs/schema-pages.ts")).chainFilePage(),
  "docs/reference/workspace.md": async () => (await import("./docs/schema-pages.ts")).workspacePage(),
  "docs/reference/tools.md": async () => (await import("./docs/tools-page.ts")).toolsPage(),
  "docs/reference/api.md": async () => (await import("./docs/api-page.ts")).apiPage(),
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
    await writeFile(`${root}/${file}`, text);
    console.log(`wrote ${file}`);
  }
}
