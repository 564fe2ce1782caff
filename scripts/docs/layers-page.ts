import layers from "../../layers.json" with { type: "json" };

/** The map of src/, drawn from the list that the architecture test enforces. */
export function layersPage(): string {
  const width = Math.max(...layers.map(({ folder }) => folder.length)) + 3;
  const rows = layers.map(({ folder, about }) => `  ${`${folder}/`.padEnd(width)}${about}`);
  return `<!-- Generated from layers.json by npm run docs. -->
# The map

A folder imports only folders above it, and only through their \`index.ts\`; \`test/architecture.test.ts\` holds it to
that. Read from the top: each folder is explained by those before it.

\`\`\`
src/
${rows.join("\n")}
  index.ts    what users import
\`\`\`

One call goes this way, and there is no other: \`engine/call.ts\` resolves, validates, permits, reuses;
\`engine/execution.ts\` admits, attempts, retries; \`engine/outcome.ts\` checks; \`engine/finish.ts\` records and tells.
`;
}
