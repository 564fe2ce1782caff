import layers from "../../layers.json" with { type: "json" };

/** Renders the map of src/ from the list that the architecture test enforces. */
export function layersPage(): string {
  const width = Math.max(...layers.map(({ folder }) => folder.length)) + 3;
  const rows = layers.map(({ folder, about }) => `  ${`${folder}/`.padEnd(width)}${about}`);
  return `<!-- Generated from layers.json by npm run docs. -->
# The map

A folder imports only folders above it, and only through their \`index.ts\`; \`test/architecture.test.ts\` enforces this.
Read from the top: each folder builds on those before it.

\`\`\`
src/
${rows.join("\n")}
  ${"*.ts".padEnd(width)}the ten entries that users import: index.ts (windlass), agent.ts (windlass/agent), …
\`\`\`

Every call, from any caller, takes the same path: \`engine/call.ts\` resolves, validates, permits and reuses results;
\`engine/execution.ts\` admits, attempts and retries; \`engine/attempt-outcome.ts\` checks the output;
\`engine/finish-call.ts\` records the call and emits its events.
`;
}
