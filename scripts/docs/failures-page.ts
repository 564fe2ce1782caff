import { failureKinds } from "../../src/base/index.ts";
import { calculatorReasons } from "../../src/builtin/index.ts";
import { dataReasons } from "../../src/builtin/data/data-reasons.ts";
import { extractReasons } from "../../src/builtin/extract/extract-reasons.ts";
import { fileToolReasons } from "../../src/builtin/files/file-tool-reasons.ts";
import { memoryReasons } from "../../src/builtin/memory/memory-reasons.ts";
import { sandboxReasons } from "../../src/builtin/sandbox/sandbox-reasons.ts";
import { searchReasons } from "../../src/builtin/search/search-reasons.ts";
import { timeReasons } from "../../src/builtin/time/time-reasons.ts";
import { vaultReasons } from "../../src/builtin/vault/vault-reasons.ts";
import { webReasons } from "../../src/builtin/web/web-reasons.ts";
import { worldReasons } from "../../src/builtin/world/world-reasons.ts";
import { writingReasons } from "../../src/builtin/writing/writing-reasons.ts";
import { fileReasons } from "../../src/file/file-reasons.ts";
import { modelReasons } from "../../src/model/model-reasons.ts";
import { mcpReasons } from "../../src/adapters/mcp/client/mcp-reasons.ts";
import { chooseReasons } from "../../src/hub/choose/choose-reasons.ts";
import { mcpSourceReasons } from "../../src/hub/mcp/source-reasons.ts";
import { skillReasons } from "../../src/hub/skills/skill-reasons.ts";
import { shelfReasons } from "../../src/hub/view/shelf-reasons.ts";
import { expressionFaults } from "../../src/expr/index.ts";
import { netReasons } from "../../src/net/index.ts";

const areas = {
  call: "Failures of a call",
  definition: "Failures of definitions and files",
  run: "Failures of runs",
  store: "Failures of the database",
} as const;

/** Every failure code and reason, from the tables in the code. */
export function failuresPage(): string {
  const sections = Object.entries(areas).map(([area, title]) => {
    const rows = Object.entries(failureKinds)
      .filter(([, kind]) => kind.area === area)
      .map(([code, kind]) => `| \`${code}\` | ${kind.means} | ${kind.remedy} | ${verdict(kind.retry)} |`);
    return `## ${title}\n\n| code | what happened | what to do | retry |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  return `<!-- Generated from the tables in the code by npm run docs. -->
# Failures

A failed call is a value: \`{ success: false, error: { code, reason?, message, forModel, issues?, retry, retryAfterMs? } }\`.
\`message\` is for people, \`forModel\` says what to change in the call. \`retry\` is \`safe\` (nothing happened, or twice
is once), \`unsafe\` (it may have happened, a second run may do harm) or \`never\` (it would fail in the same way).

${sections.join("\n")}
## Reasons of expressions

\`expression_error\` has one of these as \`reason\`; in a file, they are codes of problems.

${faultTable()}

## Reasons of the network

Tools that go out to the network give one of these as \`reason\`.

${reasonTable(netReasons)}

${ofTools.map(([of, reasons]) => `## Reasons of ${of}\n\n${reasonTable(reasons)}\n`).join("\n")}`;
}

type Reasons = Readonly<Record<string, { code: string; means?: string; meaning?: string }>>;

const ofTools: readonly (readonly [of: string, reasons: Reasons])[] = [
  ["choosing among tools", chooseReasons],
  ["large results", shelfReasons],
  ["skills", skillReasons],
  ["the tools of MCP servers", mcpSourceReasons],
  ["connections to MCP servers", mcpReasons],
  ["files", fileReasons],
  ["models", modelReasons],
  ["web pages", webReasons],
  ["the reading of pages", extractReasons],
  ["web search", searchReasons],
  ["the vault", vaultReasons],
  ["memory", memoryReasons],
  ["file tools", fileToolReasons],
  ["time", timeReasons],
  ["text and JSON", dataReasons],
  ["the calculator", calculatorReasons],
  ["weather and captions", worldReasons],
  ["writing", writingReasons],
  ["the sandbox", sandboxReasons],
];

function faultTable(): string {
  const rows = Object.entries(expressionFaults).map(([fault, { means }]) => `| \`${fault}\` | ${means} |`);
  return `| reason | means |\n| --- | --- |\n${rows.join("\n")}`;
}

function verdict(retry: string): string {
  return retry === "effect" ? "by the tool's effect" : retry;
}

function reasonTable(reasons: Reasons): string {
  const rows = Object.entries(reasons).map(
    ([reason, { code, means, meaning }]) => `| \`${reason}\` | \`${code}\` | ${means ?? meaning ?? ""} |`,
  );
  return `| reason | code | means |\n| --- | --- | --- |\n${rows.join("\n")}`;
}
