import { builtinTools } from "../../src/builtin/index.ts";
import { createDoor } from "../../src/net/index.ts";
import type { JsonSchema } from "../../src/schema/index.ts";
import type { AnyTool, Effect } from "../../src/tool/index.ts";
import { hubTools } from "./hub-tools.ts";
import { shapeOf, typeOf } from "./schema-shape.ts";
import { type ToolGroup, toolGroups } from "./tool-groups.ts";

/** Every tool that comes with Windlass, from its own definition. */
export async function toolsPage(): Promise<string> {
  const door = createDoor();
  const tools = new Map([...builtinTools({ door }), ...hubTools()].map((tool) => [tool.name, tool]));
  await door.close();
  checkGroups(tools);
  return `<!-- Generated from the definitions of the tools by npm run docs. -->
# Built-in tools

\`windlass tools\` lists them, \`windlass tools show NAME\` shows one. The tests run every example on this page, but for those
of the last group, which speak of what a workspace may have. In code, \`builtinTools({ door: createDoor() })\` of
\`windlass/tools\` gives all but the last group at once.

${toolGroups.map(({ title, tools: names }) => `- ${title}: ${names.map((name) => `[${name}](#${name.toLowerCase()})`).join(", ")}`).join("\n")}

An effect says whether a call may be made again: \`pure\` depends on the arguments only, \`read\` changes nothing,
\`idempotent\` writes, but twice is once, \`once\` must not be repeated. In shapes, \`?\` marks what may be absent.

${toolGroups.map((group) => groupText(group, tools)).join("\n")}`;
}

/** A new tool has to be put somewhere, and a removed one taken out. */
function checkGroups(tools: ReadonlyMap<string, AnyTool>): void {
  const placed = toolGroups.flatMap((group) => group.tools);
  const lost = [...tools.keys()].filter((name) => !placed.includes(name));
  const gone = placed.filter((name) => !tools.has(name));
  if (lost.length + gone.length === 0) return;
  throw new Error(`scripts/docs/tool-groups.ts: not in a group: ${lost.join(", ")}; no tools: ${gone.join(", ")}`);
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
    ["also called", tool.aliases.map(code).join(", ")],
    ["category", code(tool.category)],
    ["capabilities", tool.capabilities.join(", ")],
    ["effect", effectsOf(tool)],
    ["time", timeOf(tool)],
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

/** What a tool gives, where it says so; of the others the guide tells. */
function outputText({ output }: AnyTool): string {
  return output === undefined ? "" : `\nIt gives:\n\n\`\`\`text\n${shapeOf(output.json)}\n\`\`\`\n`;
}

function examplesOf({ input }: AnyTool): unknown[] {
  return (input.json["examples"] ?? []) as unknown[];
}

/** As one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A tool whose effect depends on its arguments shows those of its examples. */
function effectsOf(tool: AnyTool): string {
  const { effect, destructive } = tool;
  const asks = destructive === true ? "; destructive: people are asked before a model's call" : "";
  if (typeof effect !== "function") return `${code(effect)}${asks}`;
  if (examplesOf(tool).length === 0) return `by the arguments${asks}`;
  const effects = new Set(examplesOf(tool).map((example): Effect => effect(example)));
  return `by the arguments; of the examples below: ${[...effects].map(code).join(", ")}${asks}`;
}

function timeOf({ timeoutMs }: AnyTool): string {
  if (typeof timeoutMs === "function") return "by the arguments";
  return timeoutMs === undefined ? "as `engine.timeout` says; 30 s" : `at most ${timeoutMs / 1000} s`;
}

function parameterTable(schema: JsonSchema): string {
  const required = new Set((schema["required"] ?? []) as string[]);
  const rows = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>).map(([name, property]) => {
    const usual = "default" in property ? code(JSON.stringify(property["default"])) : "";
    const means = typeof property["description"] === "string" ? property["description"] : "";
    return `| ${code(name)}${required.has(name) ? " (required)" : ""} | ${escape(typeOf(property))} | ${usual} | ${escape(means)} |`;
  });
  if (rows.length === 0) return "It takes no parameters.\n";
  return `| parameter | holds | default | means |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Neither a column of a table nor a tag. */
function escape(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
