import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { environment, folder } from "../cli/windlass.ts";
import { program } from "./real-clients.ts";

const library = JSON.stringify(resolve(import.meta.dirname, "../../src/index.ts"));
const files = {
  "windlass.yaml": 'mcp: { serve: ["*"] }\n',
  "tools/tools.ts": `
import { writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { defineTool } from ${library};
export const chatty = defineTool({
  name: "chatty", description: "Talks.", effect: "read",
  run: () => { console.log("to stdout"); process.stdout.write("to stdout\\n"); return "said"; },
});
export const forever = defineTool({
  name: "forever", description: "Never ends.", effect: "read",
  run: async (_args, { signal }) => {
    writeFileSync("begun", "");
    try { await wait(600_000, undefined, { signal }); } finally { writeFileSync("stopped", ""); }
  },
});
`,
};

const handshake = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};
const call = (id: number, name: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {} },
});

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** The program, spoken to line by line. */
class Served {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | NodeJS.Signals | null>;
  stdout = "";
  stderr = "";

  constructor(cwd: string) {
    this.child = spawn(process.execPath, [program, "mcp", "serve"], { cwd, env: environment });
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => (this.stdout += text));
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    started.push(this.child);
    this.child.stdin.on("error", () => {});
    this.ended = new Promise((done) => this.child.on("close", (code, signal) => done(code ?? signal)));
  }

  send(...messages: readonly unknown[]): this {
    for (const message of messages) {
      this.child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
    }
    return this;
  }

  get answers(): { id?: number; result?: unknown }[] {
    return this.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { id?: number });
  }

  answered(id: number): Promise<{ result?: unknown }> {
    return vi.waitFor(
      () => {
        const found = this.answers.find((answer) => answer.id === id);
        if (found === undefined) throw new Error(`no answer ${id}: ${this.stderr}`);
        return found;
      },
      { timeout: 30_000 },
    );
  }
}

describe("windlass mcp serve", () => {
  test("reserves stdout for the protocol, and survives input that is not a message", async () => {
    const served = new Served(await folder(files));
    served.send(handshake, "this is no JSON", '{"jsonrpc":"2.0"}', "[]", "{".repeat(5000), call(2, "chatty"));
    expect(await served.answered(2)).toMatchObject({ result: { content: [{ type: "text", text: "said" }] } });
    served.child.stdin.end();
    expect(await served.ended).toBe(0);
    expect(served.answers.every((answer) => "id" in answer || "method" in answer)).toBe(true);
    expect(served.stderr.match(/to stdout/g)).toHaveLength(2);
    expect(served.stderr).toMatch(/serving \d+ tools/);
    expect(served.stderr.length).toBeLessThan(1000);
  });

  test("exits with 0 at the end of input, and aborts running calls", async () => {
    const dir = await folder(files);
    const served = new Served(dir);
    served.send(handshake, call(2, "forever"));
    await vi.waitFor(() => expect(existsSync(join(dir, "begun"))).toBe(true), 30_000);
    served.child.stdin.end();
    expect(await served.ended).toBe(0);
    expect(existsSync(join(dir, "stopped"))).toBe(true);
  });

  test("ends on a signal", async () => {
    const dir = await folder(files);
    const served = new Served(dir);
    served.send(handshake, call(2, "forever"));
    await vi.waitFor(() => expect(existsSync(join(dir, "begun"))).toBe(true), 30_000);
    served.child.kill("SIGTERM");
    expect(await served.ended).toBe(143);
    expect(existsSync(join(dir, "stopped"))).toBe(true);
  });

  test("ends soon after its client was killed", async () => {
    const dir = await folder(files);
    // A client that starts the server and is killed before it can end it.
    const script = `
      const { spawn } = require("node:child_process");
      const child = spawn(${JSON.stringify(process.execPath)}, [${JSON.stringify(program)}, "mcp", "serve"]);
      child.stdin.write(${JSON.stringify(`${JSON.stringify(handshake)}\n`)});
      child.stdout.once("data", () => console.log(child.pid));
      setInterval(() => {}, 1000);`;
    const client = spawn(process.execPath, ["-e", script], { cwd: dir, env: environment });
    const pid = await new Promise<number>((done) => client.stdout.once("data", (text) => done(Number(text))));
    client.kill("SIGKILL");
    const alive = (): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await vi.waitFor(() => expect(alive()).toBe(false), { timeout: 5000 });
  });

  test("is listed and called by the official inspector", async () => {
    const dir = await folder(files);
    const inspector = fileURLToPath(
      new URL("build/index.js", import.meta.resolve("@modelcontextprotocol/inspector-cli/package.json")),
    );
    const inspect = async (...words: readonly string[]): Promise<unknown> => {
      const line = [inspector, process.execPath, program, "mcp", "serve", "-C", dir, ...words];
      // It finds its own files relative to the current folder.
      const child = spawn(process.execPath, line, { cwd: dirname(inspector), env: environment });
      let out = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
      await new Promise((done) => child.on("close", done));
      return JSON.parse(out);
    };
    const listed = (await inspect("--method", "tools/list")) as { tools: { name: string; annotations: unknown }[] };
    expect(listed.tools.find(({ name }) => name === "calculator")).toMatchObject({
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      outputSchema: { type: "object" },
    });
    const words = ["--method", "tools/call", "--tool-name", "calculator", "--tool-arg", "expression=2*(3+4)"];
    expect(await inspect(...words)).toMatchObject({ structuredContent: { result: 14 } });
  });
});
