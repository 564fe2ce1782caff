import { failureKinds } from "../../src/base/index.ts";
import { trustReasons } from "../../src/app/trust-reasons.ts";
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
import { transcriptReasons } from "../../src/builtin/transcript/transcript-reasons.ts";
import { weatherReasons } from "../../src/builtin/weather/weather-reasons.ts";
import { writingReasons } from "../../src/builtin/writing/writing-reasons.ts";
import { fileReasons } from "../../src/file/file-reasons.ts";
import { modelReasons } from "../../src/model/port/model-reasons.ts";
import { mcpReasons } from "../../src/adapters/mcp/client/mcp-reasons.ts";
import { chooseReasons } from "../../src/hub/hub-reasons.ts";
import { mcpSourceReasons } from "../../src/hub/hub-reasons.ts";
import { skillReasons } from "../../src/hub/hub-reasons.ts";
import { resultStoreReasons } from "../../src/hub/hub-reasons.ts";
import { expressionFaults } from "../../src/expr/index.ts";
import { netReasons } from "../../src/net/index.ts";

const areas = {
  call: "Failures of a call",
  definition: "Failures of definitions and files",
  run: "Failures of runs",
  store: "Failures of the database",
} as const;

/** Renders the page of all failure codes and reasons, from the tables in the code. */
export function failuresPage(): string {
  const sections = Object.entries(areas).map(([area, title]) => {
    const rows = Object.entries(failureKinds)
      .filter(([, kind]) => kind.area === area)
      .map(([code, kind]) => `| \`${code}\` | ${kind.meaning} | ${kind.remedy} | ${verdict(kind.retry)} |`);
    return `## ${title}\n\n| code | what happened | what to do | retry |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  return `<!-- Generated from the tables in the code by npm run docs. -->
# Failures

A failed call is a value: \`{ success: false, error: { code, reason?, message, forModel, issues?, retry, retryAfterMs? } }\`.
\`message\` is for people, \`forModel\` explains what to change in the call. \`retry\` is \`safe\` (nothing happened, or the
call can be repeated without a further effect), \`unsafe\` (it may have happened, and a retry may repeat its effect) or
\`never\` (it would fail in the same way).

${sections.join("\n")}
## Reasons of expressions

The \`reason\` of \`expression_error\` is one of these; in a file they are problem codes.

${faultTable()}

## Reasons of the network

Tools that access the network return one of these as \`reason\`.

${reasonTable(netReasons)}

${ofTools.map(([of, reasons]) => `## Reasons of ${of}\n\n${reasonTable(reasons)}\n`).join("\n")}`;
}

type Reasons = Readonly<Record<string, { code: string; meaning?: string }>>;

const ofTools: readonly (readonly [of: string, reasons: Reasons])[] = [
  ["untrusted workspaces", trustReasons],
  ["choosing among tools", chooseReasons],
  ["large results", resultStoreReasons],
  ["skills", skillReasons],
  ["the tools of MCP servers", mcpSourceReasons],
  ["connections to MCP servers", mcpReasons],
  ["files", fileReasons],
  ["models", modelReasons],
  ["web pages", webReasons],
  ["page extraction", extractReasons],
  ["web search", searchReasons],
  ["the vault", vaultReasons],
  ["memory", memoryReasons],
  ["file tools", fileToolReasons],
  ["time", timeReasons],
  ["text and JSON", dataReasons],
  ["the calculator", calculatorReasons],
  ["weather", weatherReasons],
  ["captions", transcriptReasons],
  ["writing tools", writingReasons],
  ["the sandbox", sandboxReasons],
];

function faultTable(): string {
  const rows = Object.entries(expressionFaults).map(([fault, { meaning }]) => `| \`${fault}\` | ${meaning} |`);
  return `| reason | meaning |\n| --- | --- |\n${rows.join("\n")}`;
}

function verdict(retry: string): string {
  return retry === "effect" ? "depends on the effect" : retry;
}

function reasonTable(reasons: Reasons): string {
  const rows = Object.entries(reasons).map(
    ([reason, { code, meaning }]) => `| \`${reason}\` | \`${code}\` | ${meaning ?? ""} |`,
  );
  return `| reason | code | meaning |\n| --- | --- | --- |\n${rows.join("\n")}`;
}
