import { builtinTools } from "../../src/builtin/index.ts";
import { createHttpClient } from "../../src/net/index.ts";
import type { JsonSchema } from "../../src/schema/index.ts";
import type { AnyTool, Effect } from "../../src/tool/index.ts";
import { hubTools } from "./hub-tools.ts";
import { shapeOf, typeOf } from "./schema-shape.ts";
import { type ToolGroup, toolGroups } from "./tool-groups.ts";

/** Renders the page of all built-in tools, from their definitions. */
export async function toolsPage(): Promise<string> {
  const http = createHttpClient();
  const tools = new Map([...builtinTools({ http }), ...hubTools()].map((tool) => [tool.name, tool]));
  await http.close();
  const groups = groupsOf(tools);
  return `<!-- Generated from the definitions of the tools by npm run docs. -->
# Built-in tools

\`windlass tools\` lists them, \`windlass tools show NAME\` shows one. The tests run every example on this page except those
of the last group, which depend on the workspace. In code, \`builtinTools({ http: createHttpClient() })\` from
\`windlass/tools\` returns all tools except those of the last group.

${groups.map(({ title, tools: names }) => `- ${title}: ${names.map((name) => `[${name}](#${name.toLowerCase()})`).join(", ")}`).join("\n")}

The effect determines whether a call may be retried: \`pure\` depends on the arguments only, \`read\` changes nothing,
\`idempotent\` writes, but a repetition has no further effect, \`once\` must not be repeated. In shapes, \`?\` marks optional
properties.

${groups.map((group) => groupText(group, tools)).join("\n")}`;
}

/** Returns the groups; tools that none of them names are in a last one. */
function groupsOf(tools: ReadonlyMap<string, AnyTool>): readonly ToolGroup[] {
  const named = toolGroups.flatMap((group) => group.tools);
  const gone = named.filter((name) => !tools.has(name));
  if (gone.length > 0) throw new Error(`scripts/docs/tool-groups.ts: unknown tools: ${gone.join(", ")}`);
  const others = [...tools.keys()].filter((name) => !named.includes(name));
  if (others.length === 0) return toolGroups;
  return [...toolGroups, { title: "Others", about: "Tools for other purposes.", tools: others, needs: {} }];
}

function groupText({ title, about, tools: names, needs }: ToolGroup, tools: ReadonlyMap<string, AnyTool>): string {
  const entries = names.flatMap((name) => {
    const tool = tools.get(name);
    return tool === undefined ? [] : [entry(tool, needs[name] ?? needs["*"] ?? "nothing")];
  });
  return `## ${title}\n\n${about}\n\n${entries.join("\n")}`;
}

function entry(tool: AnyTool, needs: string): string {
  const facts = [
    ["aliases", tool.aliases.map(code).join(", ")],
    ["category", code(tool.category)],
    ["capabilities", tool.capabilities.join(", ")],
    ["effect", effectsOf(tool)],
    ["timeout", timeOf(tool)],
    ["needs", needs],
  ].filter(([, value]) => value !== "");
  return `### ${tool.name}

${escape(tool.description)}

| | |
| --- | --- |
${facts.map(([name, value]) => `| ${name} | ${value} |`).join("\n")}

${parameterTable(tool.input.json)}${exampleText(tool)}${outputText(tool)}`;
}

function exampleText(tool: AnyTool): string {
  const calls = examplesOf(tool).map(
    (example) => `windlass call ${tool.name} --args ${quoted(JSON.stringify(example))}`,
  );
  return calls.length === 0 ? "" : `\n\`\`\`sh\n${calls.join("\n")}\n\`\`\`\n`;
}

/** Renders the output schema of a tool, if it declares one; the guide describes the other outputs. */
function outputText({ output }: AnyTool): string {
  return output === undefined ? "" : `\nOutput:\n\n\`\`\`text\n${shapeOf(output.json)}\n\`\`\`\n`;
}

function examplesOf({ input }: AnyTool): unknown[] {
  return (input.json["examples"] ?? []) as unknown[];
}

/** Quotes the text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Describes the effect; if it depends on the arguments, the effects of the examples are listed. */
function effectsOf(tool: AnyTool): string {
  const { effect, destructive } = tool;
  const requests = destructive === true ? "; destructive: a call by a model needs approval" : "";
  if (typeof effect !== "function") return `${code(effect)}${requests}`;
  if (examplesOf(tool).length === 0) return `depends on the arguments${requests}`;
  const effects = new Set(examplesOf(tool).map((example): Effect => effect(example)));
  return `depends on the arguments; in the examples below: ${[...effects].map(code).join(", ")}${requests}`;
}

function timeOf({ timeoutMs }: AnyTool): string {
  if (typeof timeoutMs === "function") return "depends on the arguments";
  return timeoutMs === undefined ? "`engine.timeout` (default: 30 s)" : `${timeoutMs / 1000} s`;
}

function parameterTable(schema: JsonSchema): string {
  const required = new Set((schema["required"] ?? []) as string[]);
  const rows = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>).map(([name, property]) => {
    const defaults = "default" in property ? code(JSON.stringify(property["default"])) : "";
    const means = typeof property["description"] === "string" ? property["description"] : "";
    return `| ${code(name)}${required.has(name) ? " (required)" : ""} | ${escape(typeOf(property))} | ${defaults} | ${escape(means)} |`;
  });
  if (rows.length === 0) return "No parameters.\n";
  return `| parameter | type | default | meaning |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Escapes column separators and HTML tags. */
function escape(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
