import { execFile } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { adminToken, type ServedWorkspace, serveWorkspace } from "../server/serve-workspace.ts";
import { folderWith } from "../support/workspace.ts";
import { loadPackage, needsPackages, packagesFolder } from "./packages.ts";

needsPackages();

const root = resolve(import.meta.dirname, "../..");
const toolIndex = new URL("../../src/tool/index.ts", import.meta.url).href;

/** Tools and chains whose schemas refer to themselves, in every form that a tool may have. */
const files: Readonly<Record<string, string>> = {
  "windlass.yaml": "",
  "tools/trees.ts": `import { defineTool } from ${JSON.stringify(toolIndex)};
import { z } from ${JSON.stringify(import.meta.resolve("zod"))};
const node = z.object({ name: z.string(), get children() { return z.array(node).default([]); } });
export const count = defineTool({
  name: "count_nodes", description: "Counts the nodes of a tree.\\n\\nAll of them.", effect: "pure",
  input: z.object({ root: node, weight: z.number().default(1) }), output: z.object({ count: z.number() }),
  run: ({ root, weight }) => {
    const of = (one) => weight + one.children.reduce((sum, child) => sum + of(child), 0);
    return { count: of(root) };
  },
});
export const draft7 = defineTool({
  name: "flat/tree.7", description: "A tree as MCP servers describe it.", effect: "pure",
  input: {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: { first: { $ref: "#/definitions/a~1b%20c" }, rest: { type: "array", items: { $ref: "#" } } },
    definitions: { "a/b c": { type: "object", properties: { self: { $ref: "#/definitions/a~1b%20c" } } } },
  },
  output: { type: "object", $ref: "#/$defs/both", $defs: { both: { type: "object", properties: { of: { $ref: "#/$defs/both/properties/name" }, name: { type: "string" } } } } },
  run: () => ({ name: "x" }),
});
export const tool = defineTool({ name: "tool", description: "Its name is like a route.", effect: "pure", input: { type: "object" }, run: () => null });
`,
  "chains/weigh.yaml": `name: weigh
description: Weighs a tree.
input: { name: string, weight: "number = 2" }
steps:
  - { id: count, tool: count_nodes, params: { root: { name: "\${input.name}" }, weight: "\${input.weight}" } }
output: { weight: "\${steps.count.output.count}" }
`,
  "chains/broken.yaml": "name: broken\nsteps: [{ id: a, tool: there_is_none }]\n",
};

type Operation = { readonly operationId: string; readonly requestBody?: unknown };
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

async function documentOf({ send }: ServedWorkspace): Promise<Document> {
  return (await send("GET", "/openapi.json")).body as Document;
}

test("the OpenAPI document is valid, with one operation for each tool and each chain [P01]", async () => {
  const served = await serveWorkspace(files);
  const { workspace } = served;
  expect(workspace.problems().map(({ file }) => file)).toEqual(["chains/broken.yaml"]);
  const document = await documentOf(served);
  interface Validators {
    Validator: new () => { validate(document: object): Promise<{ valid: boolean; errors?: unknown }> };
  }
  const { Validator } = await loadPackage<Validators>("@seriousme/openapi-schema-validator");
  expect(await new Validator().validate(document)).toEqual({ valid: true });
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((each) => each.operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  const tools = workspace.engine.tools.list().filter(({ tool }) => tool.broken === undefined);
  const chains = workspace.chains.names().filter((name) => name !== "broken");
  expect(ids.filter((id) => id.startsWith("call_tool_"))).toHaveLength(tools.length);
  expect(ids.filter((id) => id.startsWith("start_run_"))).toHaveLength(chains.length);
  expect(ids).toContain("call_tool_tool");
  expect(ids).toContain("start_run_weigh");
  expect(ids).not.toContain("start_run_broken");
});

/** A program whose client is generated; a directive fails if its line has no error of types. */
const program = `import createClient from "openapi-fetch";
import type { paths } from "./api.ts";
const [baseUrl = "", token = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } });

const called = await client.POST("/v1/tools/count_nodes/call", {
  body: { args: { root: { name: "a", children: [{ name: "b" }] } } },
});
const result = called.data;
const count: number | undefined = result !== undefined && "output" in result ? result.output.count : undefined;

const started = await client.POST("/v1/chains/weigh/runs", {
  headers: { prefer: "wait=50" },
  body: { input: { name: "oak" } },
});
const status: "success" | "failed" | "running" | "waiting" | "cancelled" | undefined = started.data?.status;

const refused = await client.POST("/v1/tools/count_nodes/call", {
  // @ts-expect-error The argument "root" is missing.
  body: { args: { weight: 1 } },
});
const code: string | undefined = refused.error?.code;
// @ts-expect-error The name is a text.
await client.POST("/v1/chains/weigh/runs", { body: { input: { name: 5 } } });
// @ts-expect-error There is no such output.
if (result !== undefined && "output" in result) void result.output.counts;
// @ts-expect-error A chain that is not valid has no operation.
client.POST("/v1/chains/brocken/runs", {});

const one = await client.GET("/v1/runs/{id}", { params: { path: { id: started.data?.run_id ?? "" } } });
console.log(JSON.stringify({ count, status, output: started.data?.output, code, again: one.data?.status }));
`;

test("a client that is generated from the document calls a tool and starts a run, with types [P01]", async () => {
  const served = await serveWorkspace(files);
  interface Generator {
    readonly default: (document: object, options: object) => Promise<unknown>;
    readonly astToString: (ast: unknown) => string;
  }
  const { default: generate, astToString } = await loadPackage<Generator>("openapi-typescript");
  const api = astToString(await generate(await documentOf(served), { defaultNonNullable: false }));
  const compilerOptions = {
    module: "nodenext",
    target: "es2024",
    strict: true,
    noEmit: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
    allowImportingTsExtensions: true,
    exactOptionalPropertyTypes: true,
  };
  const dir = await folderWith({
    "package.json": '{ "type": "module" }',
    "api.ts": api,
    "program.ts": program,
    "tsconfig.json": JSON.stringify({ compilerOptions, files: ["program.ts"] }),
  });
  await symlink(packagesFolder, join(dir, "node_modules"));
  expect(await outputOf(dir, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."])).toBe("");
  expect(JSON.parse(await outputOf(dir, ["program.ts", served.url, adminToken]))).toEqual({
    count: 2,
    status: "success",
    output: { weight: 2 },
    code: "validation_error",
    again: "success",
  });
});

/** Runs Node, and returns what it prints; the errors of the compiler, too. */
async function outputOf(cwd: string, words: readonly string[]): Promise<string> {
  const ran = await promisify(execFile)(process.execPath, [...words], { cwd }).catch((error: object) => error);
  const { stdout, stderr } = ran as { readonly stdout: string; readonly stderr: string };
  return stdout + stderr;
}
