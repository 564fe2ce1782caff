import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("a model's client is loaded by the first question, not before", async () => {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { openModel } = await import("./src/model/index.ts");
    const { createDoor } = await import("./src/net/index.ts");
    await import("./src/builtin/writing/writing-tools.ts");
    const model = openModel({ baseUrl: "http://127.0.0.1:1/v1", name: "m" }, { door: createDoor() });
    const heavy = () => loaded.filter((url) => /node_modules\\/(@ai-sdk|zod|undici|ajv)|ask-writer/.test(url)).length;
    const before = heavy();
    await model.doGenerate({ prompt: [] }).catch(() => {});
    console.log(JSON.stringify({ before, after: heavy() > 0 }));
  `;
  const root = new URL("../..", import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { cwd: root });
  expect(JSON.parse(stdout)).toEqual({ before: 0, after: true });
});
