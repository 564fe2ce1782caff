import { readFile } from "node:fs/promises";
import layers from "../../layers.json" with { type: "json" };
import { withMovedLinks } from "./code-links.ts";

/** Renders the list that the architecture test enforces. */
function layersMap(): string {
  const width = Math.max(...layers.map(({ folder }) => folder.length)) + 3;
  const rows = layers.map(({ folder, about }) => `  ${`${folder}/`.padEnd(width)}${about}`);
  return `\`\`\`
src/
${rows.join("\n")}
  ${"*.ts".padEnd(width)}the ten entries that users import: index.ts (windlass), agent.ts (windlass/agent), …
\`\`\``;
}

/** Renders the map of src/. */
export function layersPage(): string {
  return `<!-- Generated from layers.json by npm run docs. -->
# The map

A folder imports only folders above it, and only through their \`index.ts\`; \`test/architecture.test.ts\` enforces this.
Read from the top: each folder builds on those before it. [ARCHITECTURE.md](../ARCHITECTURE.md) follows a call, a run, an
approval and untrusted content through these folders.

${layersMap()}
`;
}

/** Returns the architecture page with the present map, and with links to the present files. */
export async function architecturePage(): Promise<string> {
  const page = await readFile(new URL("../../ARCHITECTURE.md", import.meta.url), "utf8");
  return withMovedLinks(page.replace(/^```\nsrc\/\n[\s\S]*?^```/m, () => layersMap()));
}
