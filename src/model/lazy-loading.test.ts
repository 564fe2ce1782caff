import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("a model's client is loaded by the first request, not before", async () => {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { openModel } = await import("./src/model/index.ts");
    const { createHttpClient } = await import("./src/net/index.ts");
    await import("./src/builtin/writing/writing-tools.ts");
    const open = (provider) => openModel({ provider, baseUrl: "http://127.0.0.1:1/v1", name: "m" }, { http: createHttpClient() });
    const [model, , google] = ["openai-compatible", "anthropic", "google"].map(open);
    const heavy = () => loaded.filter((url) => /node_modules\\/(@ai-sdk|zod|undici|ajv)|request-answer/.test(url)).length;
    const before = heavy();
    await model.doGenerate({ prompt: [] }).catch(() => {});
    const clients = () => ["openai-compatible", "anthropic", "google"].filter((name) => loaded.some((url) => url.includes("@ai-sdk/" + name + "/")));
    const first = clients();
    await google.doGenerate({ prompt: [] }).catch(() => {});
    console.log(JSON.stringify({ before, after: heavy() > 0, first, second: clients() }));
  `;
  const root = new URL("../..", import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { cwd: root });
  expect(JSON.parse(stdout)).toEqual({
    before: 0,
    after: true,
    first: ["openai-compatible"],
    second: ["openai-compatible", "google"],
  });
});
