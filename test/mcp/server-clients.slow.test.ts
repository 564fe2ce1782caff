import { existsSync } from "node:fs";
import { appendFile, cp, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { folder, windlass } from "../cli/windlass.ts";
import { type Answers, type RealClient, type Reported, clientKinds } from "./real-clients.ts";

const tools = `
import { appendFileSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { defineTool, fromJsonSchema } from ${JSON.stringify(resolve(import.meta.dirname, "../../src/index.ts"))};

export const step = defineTool({
  name: "work",
  description: "Works for a moment.",
  effect: "read",
  run: async (_args, { signal }) => { await wait(60, undefined, { signal }); return { done: true }; },
});
export const forever = defineTool({
  name: "forever",
  description: "Never ends by itself.",
  effect: "read",
  run: async (_args, { signal, progress }) => {
    console.log("this must not reach the client");
    progress("begun");
    try { await wait(600_000, undefined, { signal }); } finally { writeFileSync("stopped", ""); }
  },
});
export const remove = defineTool({
  name: "remove_all",
  description: "Removes everything.",
  effect: "once",
  input: fromJsonSchema({ type: "object", properties: { path: { type: "string" } }, required: ["path"] }),
  run: ({ path }) => { appendFileSync("removed", path + "\\n"); return { removed: path }; },
});
export const ask = defineTool({
  name: "ask",
  description: "Asks.",
  effect: "read",
  run: async (_args, { elicit }) => elicit({
    message: "Go on?",
    schema: { type: "object", properties: { approve: { type: "boolean" } }, required: ["approve"] },
  }),
});
`;

const seven = `name: seven
steps:
${[1, 2, 3, 4, 5, 6, 7].map((n) => `  - { id: s${n}, tool: work${n > 1 ? `, depends_on: [s${n - 1}]` : ""} }`).join("\n")}
`;

const files = {
  "windlass.yaml": 'permissions: { ask: ["mcp:remove_all"], allow: ["*"] }\nmcp: { serve: ["*"] }\n',
  "tools/tools.ts": tools,
  "chains/seven.yaml": seven,
  "chains/careful.yaml": `name: careful
input: { path: { type: string } }
steps:
  - { id: first, tool: work }
  - { id: gone, tool: remove_all, params: { path: "\${input.path}" }, approval: "Really remove \${input.path}?", depends_on: [first] }
`,
};

const yes: ReturnType<Answers> = { action: "accept", content: { approve: true } };
const textOf = ({ content }: { content: readonly { text?: string }[] }) => content.map(({ text }) => text).join("\n");

describe.each(clientKinds)("%s, with windlass mcp serve", (kind, connect) => {
  let dir: string;
  let client: RealClient;
  /** A client that can elicit input from its user. */
  let request: RealClient;
  let requested: string[] = [];
  let answers: ReturnType<Answers>[] = [];

  beforeAll(async () => {
    dir = await folder(files);
    client = await connect({ cwd: dir });
    request = await connect({
      cwd: await folder(files),
      answers: (message) => {
        requested.push(message);
        return answers.shift() ?? { action: "decline" };
      },
    });
  }, 60_000);

  beforeEach(() => {
    requested = [];
  });

  afterAll(async () => {
    await Promise.all([client.close(), request.close()]);
  });

  test("uses its protocol version, and sees every tool and chain in one order", async () => {
    expect(client.protocol).toBe(kind.includes("2026") ? "2026-07-28" : "2025-11-25");
    const names = await client.names();
    expect(names).toEqual(expect.arrayContaining(["calculator", "careful", "remove_all", "seven", "work"]));
    expect(names).toEqual(names.toSorted());
    expect(await client.names()).toEqual(names);
    expect(await client.call("calculator", { expression: "6*7" })).toMatchObject({ structuredContent: { result: 42 } });
  });

  test("runs a chain, and sees how far it is", async () => {
    const reported: Reported[] = [];
    const result = await client.call("seven", {}, { onProgress: (each) => reported.push(each) });
    expect(result.isError).not.toBe(true);
    expect(result.structuredContent).toMatchObject({ s7: { done: true } });
    expect(reported.map(({ message }) => message)).toContain("step 3 of 7: s3");
    expect(reported.every(({ total }) => total === 7)).toBe(true);
    expect(reported.every(({ progress }, at) => at === 0 || progress > (reported[at - 1]?.progress ?? Infinity))).toBe(
      true,
    );
  });

  test("cancels a call, which then stops, and continues with others", async () => {
    const stop = new AbortController();
    const begun = Promise.withResolvers<void>();
    const call = client.call("forever", {}, { signal: stop.signal, onProgress: () => begun.resolve() });
    await begun.promise;
    stop.abort();
    await expect(call).rejects.toThrow(/abort|cancel/i);
    await vi.waitFor(() => expect(existsSync(join(dir, "stopped"))).toBe(true), 5000);
    expect(await client.call("work")).toMatchObject({ structuredContent: { done: true } });
  });

  test("is prompted for approval if a rule requires it, with the arguments, once for each call", async () => {
    answers = [yes];
    const removed = await request.call("remove_all", { path: "/tmp/x" });
    expect(removed).toMatchObject({ structuredContent: { removed: "/tmp/x" } });
    expect(requested[0]).toContain("remove_all");
    expect(requested[0]).toContain('"path": "/tmp/x"');
    const declined = await request.call("remove_all", { path: "/tmp/x" });
    expect(declined.isError).toBe(true);
    expect(textOf(declined)).toMatch(/rejected .*remove_all[^]*permission_denied/);
    expect(requested.length).toBe(2);
  });

  test("is prompted again if the answer is invalid, and a dismissed approval stays pending", async () => {
    answers = [
      { action: "accept", content: {} },
      { action: "accept", content: { approve: false } },
    ];
    expect(textOf(await request.call("remove_all", { path: "a" }))).toContain("permission_denied");
    expect(requested.length).toBe(2);
    expect(requested[1]).toMatch(/approve/);
    answers = [{ action: "cancel" }];
    expect(textOf(await request.call("remove_all", { path: "a" }))).toMatch(/windlass approve \S+/);
  });

  test("receives the elicitations of a chain and of a tool", async () => {
    // The step's own approval, the rule for the tool of the step, and the elicitation of the tool.
    answers = [yes, yes, yes];
    const careful = await request.call("careful", { path: "/tmp/y" });
    expect(careful).toMatchObject({ structuredContent: { gone: { removed: "/tmp/y" } } });
    expect(requested[0]).toContain("Really remove /tmp/y?");
    expect(await request.call("ask")).toMatchObject({
      structuredContent: { action: "accept", content: { approve: true } },
    });
    expect(requested).toEqual([expect.any(String), expect.stringContaining("Allow remove_all"), "Go on?"]);
    expect(textOf(await request.call("careful", { path: "/tmp/n" }))).toContain("declined by the caller");
  });

  test("a client that cannot elicit learns how a call can be approved", async () => {
    const suspended = await client.call("remove_all", { path: "z" });
    const id = /windlass approve (\S+)/.exec(textOf(suspended))?.[1] ?? "";
    expect(suspended.isError).toBe(true);
    expect(textOf(suspended)).toContain("approval_required");
    expect((await windlass(["approve", id], { cwd: dir })).code).toBe(0);
    expect(await client.call("remove_all", { path: "z" })).toMatchObject({ structuredContent: { removed: "z" } });
    expect(textOf(await client.call("careful", { path: "z" }))).toMatch(/needs an approval/);
    expect(textOf(await client.call("ask"))).toContain("decline");
  });

  test("gets failures as results, and only protocol errors as errors", async () => {
    const invalid = await client.call("calculator", { expression: 1 });
    expect(invalid.isError).toBe(true);
    expect(textOf(invalid)).toMatch(/expression must be a string[^]*validation_error/);
    await expect(client.call("calculatr")).rejects.toThrow(/Unknown tool: calculatr; did you mean "calculator"\?/);
  });

  test("runs the research chain on a folder of pages, and is notified of a new tool", async () => {
    const research = await folder();
    await cp(resolve(import.meta.dirname, "../../examples/research"), research, { recursive: true });
    await appendFile(join(research, "windlass.yaml"), "engine: { watch_for_changes: true }\n");
    await mkdir(join(research, "tools"));
    const changed = Promise.withResolvers<void>();
    const researcher = await connect({ cwd: research, onToolsChanged: () => changed.resolve() });
    const reported: Reported[] = [];
    const onProgress = (each: Reported) => reported.push(each);
    const result = await researcher.call("research-chain", { query: "tide mills" }, { onProgress });
    expect(textOf(result)).toMatch(/tide/i);
    expect(result.isError).not.toBe(true);
    expect(reported.at(-1)?.total).toBe(4);
    const tool = "name: new_tool\ndescription: New.\nentry: { type: builtin, handler: echo }\n";
    await writeFile(join(research, "tools/new.yaml"), tool);
    await changed.promise;
    await vi.waitFor(async () => expect(await researcher.names()).toContain("new_tool"), { timeout: 10_000 });
    await researcher.close();
  });
});
