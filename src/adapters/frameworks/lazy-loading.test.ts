import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** The framework packages that importing these entries loads, in a separate process. */
async function loadedBy(...entries: readonly string[]): Promise<unknown> {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = new Set();
    registerHooks({
      load(url, context, next) {
        const name = /node_modules\\/(@langchain\\/[^/]+|@opentelemetry\\/[^/]+|langchain|ai|zod)\\//.exec(url)?.[1];
        if (name !== undefined) loaded.add(name);
        return next(url, context);
      },
    });
    for (const entry of ${JSON.stringify(entries)}) await import("./src/" + entry + ".ts");
    console.log(JSON.stringify([...loaded]));
  `;
  const root = new URL("../../..", import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { cwd: root });
  return JSON.parse(stdout) as unknown;
}

test("no other entry loads LangChain, OpenTelemetry or the AI SDK, and the AI SDK entry does not load the AI SDK", async () => {
  expect(await loadedBy("index", "agent", "chain", "hub", "mcp", "tools", "app/index", "ai-sdk")).toEqual([]);
});

test("the one for OpenTelemetry loads its API, and no SDK", async () => {
  expect(await loadedBy("otel")).toEqual(["@opentelemetry/api"]);
});

test("the LangChain entry loads its core, and none of its agents", async () => {
  const loaded = await loadedBy("langchain");
  expect(loaded).toContain("@langchain/core");
  expect(loaded).not.toContain("langchain");
  expect(loaded).not.toContain("@langchain/langgraph");
});
