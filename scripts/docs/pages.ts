import { apiIndexPage, apiModules, apiPage } from "./api-page.ts";
import { cliPage } from "./cli-page.ts";
import { failuresPage } from "./failures-page.ts";
import { architecturePage, layersPage } from "./layers-page.ts";
import { chainFilePage, toolFilePage, workspacePage } from "./schema-pages.ts";
import { toolsPage } from "./tools-page.ts";

/** The generated pages, by their files. */
export const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  "src/README.md": layersPage,
  "ARCHITECTURE.md": architecturePage,
  "docs/reference/failures.md": failuresPage,
  "docs/reference/cli.md": cliPage,
  "docs/reference/tool-file.md": toolFilePage,
  "docs/reference/chain-file.md": chainFilePage,
  "docs/reference/workspace.md": workspacePage,
  "docs/reference/tools.md": toolsPage,
  "docs/reference/api.md": apiIndexPage,
  ...Object.fromEntries(apiModules.map((module) => [`docs/reference/api/${module.page}`, () => apiPage(module)])),
};
