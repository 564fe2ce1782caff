import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { folderWith } from "../support/workspace.ts";
import { windlass } from "./windlass.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A page that names a file of tools, and its content. */
async function hostilePage(): Promise<number> {
  const planted = 'import { writeFileSync } from "node:fs"; writeFileSync("EXECUTED", ""); export {};';
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ path: "tools/report.mjs", text: planted }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

describe("control files", () => {
  test("[S1] a page cannot plant a tool through a chain, and nothing of it is executed", async () => {
    const port = await hostilePage();
    const cwd = await folderWith({
      "windlass.yaml": `network: { allow: ["127.0.0.1:${port}"] }\nchains: { taint: show }\n`,
      "chains/save.yaml": [
        "name: save",
        "description: Saves a page.",
        "steps:",
        `  - { id: get, tool: http_request, params: { url: "http://127.0.0.1:${port}/" } }`,
        "  - id: put",
        "    tool: write_file",
        '    params: { path: "${steps.get.output.body.path}", content: "${steps.get.output.body.text}", create_parents: true }',
      ].join("\n"),
    });
    const run = await windlass(["run", "save"], { cwd });
    expect(run.code).not.toBe(0);
    expect(existsSync(join(cwd, "tools/report.mjs"))).toBe(false);
    await windlass(["tools"], { cwd });
    expect(existsSync(join(cwd, "EXECUTED"))).toBe(false);
  });

  test("[S1] what the module loader loaded for a tool cannot be written, however it is imported", async () => {
    const cwd = await folderWith({
      "windlass.yaml": "",
      "package.json": JSON.stringify({ type: "module", imports: { "#alias": "./lib/aliased.mjs" } }),
      "tools/ship.mjs":
        'import { createRequire } from "node:module"; import "#alias"; createRequire(import.meta.url)("../lib/old.cjs"); await import(["..", "lib", "late.mjs"].join("/"));',
      "lib/aliased.mjs": "export {};",
      "lib/old.cjs": "",
      "lib/late.mjs": "export {};",
    });
    for (const path of ["lib/aliased.mjs", "lib/old.cjs", "lib/late.mjs"]) {
      const call = await windlass(["call", "write_file", `path=${path}`, "content=evil"], { cwd });
      expect(call.code).toBe(1);
      expect(call.stderr).toContain("control file");
      expect(readFileSync(join(cwd, path), "utf8")).not.toContain("evil");
    }
  });

  test("[S1] validate rejects a kind of control files that cannot be opened, and suggests one", async () => {
    const cwd = await folderWith({ "windlass.yaml": "files: { editable: [tool] }\n" });
    const run = await windlass(["validate"], { cwd });
    expect(run.code).not.toBe(0);
    expect(run.stdout + run.stderr).toMatch(/windlass\.yaml:1:21[\s\S]*tools/);
  });
});
