import { fileURLToPath } from "node:url";
import { type PublicName, publicNames } from "./public-names.ts";

const titles: Readonly<Record<PublicName["kind"], string>> = {
  function: "Functions",
  class: "Classes",
  const: "Values",
  interface: "Types",
  type: "Types",
};

const modules = [
  ["windlass", "index.ts"],
  ["windlass/agent", "agent.ts"],
  ["windlass/ai-sdk", "ai-sdk.ts"],
  ["windlass/chain", "chain.ts"],
  ["windlass/hub", "hub.ts"],
  ["windlass/langchain", "langchain.ts"],
  ["windlass/mcp", "mcp.ts"],
  ["windlass/otel", "otel.ts"],
  ["windlass/testing", "testing.ts"],
  ["windlass/tools", "tools.ts"],
] as const;

/** Renders the page of all public names, from the comments in the code. */
export function apiPage(): string {
  return `<!-- Generated from the comments in the code by npm run docs. -->
# Library

${modules.map(([name, file]) => modulePage(name, file)).join("\n")}`;
}

function modulePage(name: string, file: string): string {
  const names = publicNames(fileURLToPath(new URL(`../../src/${file}`, import.meta.url)));
  const sections = [...new Set(Object.values(titles))].flatMap((title) => {
    const own = names.filter(({ kind }) => titles[kind] === title);
    return own.length === 0 ? [] : [`### ${title}\n\n${own.map(title === "Types" ? row : entry).join("\n")}\n`];
  });
  return `## import … from "${name}"\n\n${sections.join("\n")}`;
}

function entry({ name, doc }: PublicName): string {
  return `#### ${name}\n\n${plain(doc).replace(/@example\n?/, "")}\n`;
}

function row({ name, doc, members }: PublicName): string {
  const below = members.map((member) => `  - \`${member.name}\` — ${summary(member.doc)}`);
  return [`- **${name}** — ${summary(doc)}`, ...below].join("\n");
}

/** Returns the first paragraph on one line. */
function summary(doc: string): string {
  return (
    plain(doc)
      .split(/\n\s*\n|\n@/)[0]
      ?.replaceAll("\n", " ") ?? ""
  );
}

function plain(doc: string): string {
  return doc.replaceAll(/\{@link (\w+)\}/g, "`$1`");
}
