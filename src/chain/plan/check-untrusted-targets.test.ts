import { expect, test } from "vitest";
import { goodPlan, planText, plannedTool } from "../../../test/support/planning.ts";
import { ToolRegistry } from "../../tool/index.ts";

const tools = new ToolRegistry();
for (const tool of [
  plannedTool("look", { effect: "read" }),
  plannedTool("put", { effect: "idempotent", destructive: true, targets: { path: "path" } }),
  plannedTool("get", { effect: "read", targets: { url: "url" } }),
  plannedTool("post", { effect: "once", targets: { url: "url" } }),
  plannedTool("shell", { effect: "read", targets: { line: "command" } }),
])
  tools.register(tool);

/** Warnings of a chain whose step `page` reads a page: the underlined text, or the code. */
function warnings(steps: string): string[] {
  const text = `name: c\nsteps:\n  - { id: page, tool: look }\n${steps}`;
  const { problems, plan } = planText(text, { tools });
  expect(plan).toBeDefined();
  return problems.map(({ line, column, length = 1, code, severity }) => {
    expect(severity).toBe("warning");
    return code === "untrusted_target"
      ? (text.split("\n")[line - 1]?.slice(column - 1, column - 1 + length) ?? "")
      : code;
  });
}

const step = (tool: string, params: string, more = ""): string =>
  `  - { id: x, tool: ${tool}, params: { ${params} }${more} }`;

test.each([
  ["put", 'path: "${steps.page.output.path}"'],
  ["post", 'url: "${steps.page.output.url}"'],
  ["get", 'url: "https://${steps.page.output.host}/"'],
  ["shell", 'line: "ls ${steps.page.output.name}"'],
])("[S3] a plan warns of %s with %s, unless the step allows it or a person sees it", (tool, params) => {
  const [reference = ""] = /\$\{(.*)\}/.exec(params)?.slice(1) ?? [];
  expect(warnings(step(tool, params))).toEqual([reference]);
  const kind = { put: "path", shell: "command" }[tool] ?? "url";
  expect(warnings(step(tool, params, `, untrusted: { ${kind}: allow }`))).toEqual([]);
  expect(warnings(step(tool, params, ", approval: Really?"))).toEqual([]);
});

test.each([
  ["put", 'path: "notes/${steps.page.output.title}.md"'],
  ["put", 'path: "${input.path}"'],
  ["put", 'path: a.md, content: "${steps.page.output}"'],
  // It usually appears in the page.
  ["get", 'url: "${steps.page.output.url}"'],
  ["get", 'url: "https://a.example/${steps.page.output.id}"'],
  ["post", 'url: "https://a.example/${steps.page.output.id}"'],
])("[S3] a plan does not warn of %s with %s", (tool, params) => {
  expect(warnings(step(tool, params))).toEqual([]);
});

test("[S3] a setting that allows nothing is reported", () => {
  expect(warnings(step("put", "path: a", ", untrusted: { url: allow }"))).toEqual(["unused_setting"]);
});

test("[S3] fallbacks and compensations are checked, too", () => {
  const path = 'path: "${steps.page.output.path}"';
  const fallback = `, depends_on: [page], error_handling: { strategy: fallback, fallback: [{ tool: put, params: { ${path} } }] }`;
  expect(warnings(step("look", "", fallback))).toEqual(["steps.page.output.path"]);
  expect(warnings(step("look", "", `, compensate: { tool: put, params: { ${path} } }`))).toEqual([
    "steps.page.output.path",
  ]);
});

test("[S3] a target in a called chain is found, through any number of chains", () => {
  const chains: Readonly<Record<string, string>> = {
    writer: 'input: { p: string }\nsteps:\n  - { id: w, tool: put, params: { path: "${input.p}" } }',
    careful: 'input: { p: string }\nsteps:\n  - { id: w, tool: put, params: { path: "notes/${input.p}.md" } }',
    allowed:
      'input: { p: string }\nsteps:\n  - { id: w, tool: put, params: { path: "${input.p}" }, untrusted: { path: allow } }',
    approved:
      'input: { p: string }\nsteps:\n  - { id: w, tool: put, params: { path: "${input.p}" }, approval: Really? }',
    outer: 'input: { p: string }\nsteps:\n  - { id: call, tool: writer, params: { p: "a/${input.p}/b" } }',
  };
  const context = {
    tools,
    chains: (name: string) => {
      const text = chains[name];
      return text === undefined ? undefined : () => goodPlan(`name: ${name}\n${text}`, context);
    },
  };
  const found = (tool: string, more = ""): string[] => {
    const text = `name: c\nsteps:\n  - { id: page, tool: look }\n${step(tool, 'p: "${steps.page.output.path}"', more)}`;
    return planText(text, context).problems.map(({ code, message }) => `${code}: ${message}`);
  };
  const warning =
    'untrusted_target: untrusted content from the step "page" (look) decides the path of "put" in the step "w" of the chain "writer": a run needs approval there';
  expect(found("writer")).toEqual([warning]);
  expect(found("outer")).toEqual([warning]);
  expect(found("writer", ", approval: Really?")).toEqual([]);
  expect(["careful", "allowed", "approved"].flatMap((tool) => found(tool))).toEqual([]);
});
