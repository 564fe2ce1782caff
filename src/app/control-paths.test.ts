import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { folderWith } from "../../test/support/workspace.ts";
import { createMcpToolServer } from "../adapters/mcp/server/mcp-tool-server.ts";
import { toAiSdkTools } from "../adapters/ai-sdk/index.ts";
import { toLangChainTools } from "../adapters/langchain/index.ts";
import { agentTool, createAgent } from "../agent/index.ts";
import { scriptedModel } from "../testing/index.ts";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { openWorkspace } from "./open-workspace.ts";
import type { Workspace, WorkspaceOptions } from "./workspace.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const rules = "permissions: { ask: [], allow: ['* trusted'] }\n";

async function opened(files: Record<string, string>, options: WorkspaceOptions = {}): Promise<Workspace> {
  const dir = await folderWith({ "windlass.yaml": rules, "notes/a.md": "A", ...files });
  const workspace = await openWorkspace(dir, { reload: false, store: "memory", ...options });
  closing.push(() => workspace.close());
  return workspace;
}

async function write(workspace: Workspace, path: string): Promise<string> {
  const args = { path, content: "export {}", create_parents: true };
  const result = await workspace.engine.call("write_file", args);
  return result.success ? "written" : (result.error.reason ?? result.error.code);
}

const code = {
  "tools/ship.mjs": 'import "../lib/deep.mjs"; export default () => import("../lib/lazy.mjs");',
  "lib/deep.mjs": 'import "./deeper/x.mjs";',
  "lib/deeper/x.mjs": "",
  "lib/lazy.mjs": "",
  "lib/handler.mjs": "export default () => 1;",
  "lib/free.mjs": "",
  "tools/custom.yaml": "name: custom\ndescription: x\nentry: { type: custom, module: ../lib/handler.mjs }\n",
  "tools/count.yaml":
    "name: count\ndescription: x\nentry: { type: external, command: [node, --import=./scripts/hook.mjs, scripts/count.mjs, notes] }\n",
  "scripts/count.mjs": 'import "./lib.mjs";',
  "scripts/lib.mjs": "",
  "mcp.json": JSON.stringify({ mcpServers: { own: { command: "node", args: ["servers/own.mjs"], disabled: false } } }),
  "servers/own.mjs": "",
};

describe("control files of a workspace", () => {
  test.each([
    "windlass.yaml",
    "WINDLASS.yaml",
    "sub/windlass.yaml",
    "mcp.json",
    "mcp.local.json",
    "package.json",
    "node_modules/windlass/index.js",
    "tools/evil.mjs",
    "Tools/evil.mjs",
    "chains/x.yaml",
    "skills/x/SKILL.md",
    "prompts/llm_summarize.md",
    "capabilities/search.yaml",
  ])("[S1] write_file cannot write %s", async (path) => {
    expect(await write(await opened({}), path)).toBe("control_file");
  });

  test.each([".windlass/x.json", ".git/config", ".git/hooks/pre-commit", "secrets/crm"])(
    "[S1] %s is closed altogether",
    async (path) => {
      const workspace = await opened({ "windlass.yaml": `${rules}secrets: { CRM: { file: secrets/crm } }\n` });
      expect(await write(workspace, path)).toBe("path_denied");
    },
  );

  test.each([
    "lib/deep.mjs",
    "lib/deeper/x.mjs",
    "lib/lazy.mjs",
    "lib/handler.mjs",
    "lib/package.json",
    "lib/node_modules/x/index.js",
    "lib/deeper/package.json",
    "scripts/count.mjs",
    "scripts/hook.mjs",
    "scripts/lib.mjs",
    "scripts/deep/new.py",
    "servers/lib.mjs",
    "servers/own.mjs",
    "servers/node_modules/x/index.js",
  ])("[S1] %s, which a tool, a command or a server runs, cannot be written", async (path) => {
    const workspace = await opened(code);
    expect(workspace.problems()).toEqual([]);
    expect(await write(workspace, path)).toBe("control_file");
  });

  test.each([
    "lib/free.mjs",
    "scripts/data.json",
    "notes/a.md",
    "notes/package.json",
    "project/tools/a.mjs",
    "report.yaml",
  ])("[S1] %s, which nothing runs, can be written", async (path) => {
    const workspace = await opened(code);
    expect(await write(workspace, path)).toBe("written");
  });

  test("[S1] configured folders replace the default ones", async () => {
    const folders =
      "engine: { tools_directory: my/tools }\nchains: { directory: flows }\nskills: { directory: know }\n";
    const workspace = await opened({
      "windlass.yaml": rules + folders,
      "my/tools/.keep": "",
      "flows/.keep": "",
      "know/.keep": "",
    });
    for (const path of ["my/tools/x.mjs", "flows/x.yaml", "know/x/SKILL.md"])
      expect(await write(workspace, path)).toBe("control_file");
    expect(await write(workspace, "tools/x.mjs")).toBe("written");
  });

  test("[S1] files.editable opens the named kinds, and nothing else", async () => {
    const editable = "files: { editable: [chains, skills, prompts, tools] }\n";
    const workspace = await opened({ ...code, "windlass.yaml": rules + editable });
    for (const path of ["tools/x.mjs", "chains/x.yaml", "skills/x/SKILL.md", "prompts/x.md", "lib/deep.mjs"])
      expect(await write(workspace, path)).toBe("written");
    const closed = ["windlass.yaml", "mcp.json", "mcp.local.json", "package.json", "node_modules/x.js"];
    for (const path of [...closed, "capabilities/x.yaml", "servers/own.mjs", ".windlass/x", ".git/x"])
      expect(await write(workspace, path)).toMatch(/^(?:control_file|path_denied)$/);
    const chains = await opened({ "windlass.yaml": `${rules}files: { editable: [chains] }\n` });
    expect(await write(chains, "chains/x.yaml")).toBe("written");
    expect(await write(chains, "tools/x.mjs")).toBe("control_file");
  });

  test("[S1] skills that may bring code stay closed until tools are open too", async () => {
    const settings = `${rules}skills: { code: true }\n`;
    const one = await opened({ "windlass.yaml": `${settings}files: { editable: [skills] }\n` });
    expect(await write(one, "skills/x/tool.mjs")).toBe("control_file");
    const both = await opened({ "windlass.yaml": `${settings}files: { editable: [skills, tools] }\n` });
    expect(await write(both, "skills/x/tool.mjs")).toBe("written");
  });

  test("[S1] a workspace whose own folder holds its tools still takes notes", async () => {
    const workspace = await opened({ "windlass.yaml": `${rules}engine: { tools_directory: . }\n` });
    expect(await write(workspace, "evil.mjs")).toBe("control_file");
    expect(await write(workspace, "sub/evil.yaml")).toBe("control_file");
    expect(await write(workspace, "notes/b.md")).toBe("written");
  });

  test("[S1] edit_file and links made later do not get around it, and the message says what to do", async () => {
    const workspace = await opened({ "tools/a.mjs": "export const a = 1;" });
    const edit = { path: "tools/a.mjs", old_text: "1", new_text: "2" };
    const result = await workspace.engine.call("edit_file", edit);
    expect(result).toMatchObject({
      success: false,
      error: {
        code: "permission_denied",
        reason: "control_file",
        message: expect.stringContaining("set files: { editable: [tools] } in windlass.yaml"),
      },
    });
    symlinkSync("../tools", join(workspace.dir, "notes/t"));
    symlinkSync("../windlass.yaml", join(workspace.dir, "notes/s.md"));
    expect(await write(workspace, "notes/t/evil.mjs")).toBe("control_file");
    expect(await write(workspace, "notes/s.md")).toBe("control_file");
    expect(readFileSync(join(workspace.dir, "windlass.yaml"), "utf8")).toBe(rules);
  });
});

const planting = {
  "chains/plant.yaml":
    'name: plant\ndescription: Writes.\ninput: { path: { type: string } }\nsteps:\n  - { id: w, tool: write_file, params: { path: "${input.path}", content: evil, create_parents: true } }\n',
  "chains/outer.yaml":
    "name: outer\ndescription: Calls.\nsteps:\n  - { id: s, tool: plant, params: { path: tools/evil.mjs } }\n",
  "chains/each.yaml":
    "name: each\ndescription: Loops.\nsteps:\n  - { id: e, tool: write_file, for_each: \"${['tools/evil.mjs', 'mcp.json']}\", params: { path: \"${item}\", content: evil, create_parents: true } }\n",
  "tools/narrow.yaml":
    "name: narrow\ndescription: Writes.\naliases: [narrowed]\ncapabilities: [plant_file]\nparameters: [{ name: path, type: string, required: true }, { name: content, type: string, required: true }]\nentry: { type: builtin, handler: write_file }\n",
};

describe("control files through other callers", () => {
  const expectNothingPlanted = (dir: string): void => {
    expect(existsSync(join(dir, "tools/evil.mjs"))).toBe(false);
    expect(existsSync(join(dir, "mcp.json"))).toBe(false);
  };

  test("[S1] a sub-chain and for_each do not write them, nor do rerun and resume", async () => {
    const workspace = await opened(planting);
    expect(workspace.problems().filter(({ severity }) => severity === "error")).toEqual([]);
    for (const name of ["outer", "each"]) {
      const run = await workspace.runs.start(await workspace.loadChain(name), {});
      const failed = { status: "failed", error: { message: expect.stringContaining("a control file") } };
      expect(run).toMatchObject(failed);
      expect(await workspace.runs.rerun(run.runId)).toMatchObject(failed);
    }
    expectNothingPlanted(workspace.dir);
  });

  test("[S1] a tool file, an alias, a capability and an agent as a tool do not write them", async () => {
    const workspace = await opened(planting);
    const { engine } = workspace;
    const args = { path: "tools/evil.mjs", content: "evil" };
    for (const name of ["narrow", "narrowed", "capability:plant_file"]) {
      expect(await engine.call(name, args)).toMatchObject({
        success: false,
        error: { message: expect.stringContaining("a control file") },
      });
    }
    const model = scriptedModel([{ toolCalls: [{ name: "write_file", args }] }, { text: "done" }]);
    const inner = agentTool(createAgent({ engine, model }), { name: "helper", description: "Helps." });
    engine.tools.register(inner);
    await engine.call("helper", { prompt: "write" });
    expect(JSON.stringify(model.calls)).toContain("control file");
    expectNothingPlanted(workspace.dir);
  });

  test("[S1] a client of the MCP server, LangChain and the AI SDK do not write them", async () => {
    const workspace = await opened({});
    const { engine } = workspace;
    const args = { path: "tools/evil.mjs", content: "evil", create_parents: true };
    const [ours] = toLangChainTools(engine, { tools: ["write_file"] });
    expect(String(await ours?.invoke(args).catch((error: unknown) => error))).toContain("control file");
    const { write_file: sdk } = toAiSdkTools(engine, { tools: ["write_file"] });
    const output: unknown = await Promise.resolve(
      sdk?.execute?.(args, { toolCallId: "1", messages: [], context: {} }),
    ).catch((error: unknown) => String(error));
    expect(JSON.stringify(output)).toContain("control file");
    const serving = createMcpToolServer({ engine, name: "test", version: "1.0.0" });
    closing.push(() => serving.close());
    const { url, token } = await serving.http();
    const client = new Client({ name: "t", version: "1" });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    );
    closing.push(() => client.close());
    const called = await client.callTool({ name: "write_file", arguments: args });
    expect(JSON.stringify(called)).toContain("control file");
    expectNothingPlanted(workspace.dir);
  });
});
