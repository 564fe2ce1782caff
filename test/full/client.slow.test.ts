import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

import { beforeAll, expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import { files } from "../server/route-samples.ts";
import { adminToken, serveWorkspace } from "../server/serve-workspace.ts";
import { freePort, processToken, serveAsProcess } from "../support/served-process.ts";
import { type Page, type SiteFiles, openPage, serveSite } from "./browser.ts";
import { needsPackages } from "./packages.ts";

needsPackages();

const toolIndex = new URL("../../src/tool/index.ts", import.meta.url).href;
const builtClient = new URL("../../dist/client.js", import.meta.url);
const scenario = new URL("client-scenario.ts", import.meta.url);
let clientText = "";
let scenarioText = "";
beforeAll(async () => {
  clientText = await readFile(builtClient, "utf8");
  scenarioText = stripTypeScriptTypes(await readFile(scenario, "utf8"));
});

/** A page with the client as an ES module, under a policy that allows nothing else. */
function site(options: object, connect: string, use = "useClient(client)"): SiteFiles {
  const module = `import { createClient } from "/client.js";
import { followRun, useClient } from "/client-scenario.js";
const client = createClient(${JSON.stringify(options)});
let seen;
try {
  seen = await ${use};
} catch (error) {
  seen = { error: String(error), problem: error.problem };
}
document.querySelector("output").textContent = JSON.stringify(seen);`;
  const policy = `default-src 'none'; script-src 'self'; connect-src ${connect}`;
  const html = `<!doctype html><meta http-equiv="content-security-policy" content="${policy}"><title>Client</title><output></output><script type="module" src="/page.js"></script>`;
  const script = (text: string) => ({ type: "text/javascript", text });
  return {
    "/page": { type: "text/html", text: html },
    "/page.js": script(module),
    "/client.js": script(clientText),
    "/client-scenario.js": script(scenarioText),
  };
}

async function seenBy(page: Page, url: string): Promise<unknown> {
  await page.goto(url);
  await page.waitForSelector("output:not(:empty)", { timeout: 50_000 });
  return JSON.parse((await page.textContent("output")) ?? "");
}

const expected = (principal: string): object => ({
  output: { text: "hi ü 你好" },
  refused: ["ApiError", "validation_error", 400],
  decided: "approved",
  second: ["conflict", 409, principal],
  waits: ["Delete n1?", "Allow delete_note to run with these arguments?"],
  ended: ["success", { remove: { deleted: "n1" } }],
  listed: ["the run"],
  saved: ["greet", "precondition_failed"],
});

/** Uses the client in a process of Node. */
async function seenByNode(options: object, use = "useClient(client)"): Promise<unknown> {
  const code = `import { createClient } from ${JSON.stringify(builtClient.href)};
import { followRun, useClient } from ${JSON.stringify(scenario.href)};
const client = createClient(${JSON.stringify(options)});
console.log(JSON.stringify(await ${use}));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code]);
  return JSON.parse(stdout);
}

test("the built client calls, runs, waits, approves and saves in Node [P08]", async () => {
  const { url } = await serveAsProcess(files);
  expect(await seenByNode({ url, token: processToken })).toEqual(expected("WINDLASS_TOKEN"));
});

test("the built client does the same in a browser, on a page of an allowed origin [P08]", async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const origin = await serveSite(site({ url, token: processToken }, url));
  await serveAsProcess(files, ["--allow-origin", origin], port);
  expect(await seenBy(await openPage(), `${origin}/page`)).toEqual(expected("WINDLASS_TOKEN"));
});

test("the built client does the same on a page of the server's own origin, without a url [P08]", async () => {
  const { server } = await serveWorkspace(files);
  const origin = await serveSite(site({ token: adminToken }, "'self'"), server.fetch);
  expect(await seenBy(await openPage(), `${origin}/page`)).toEqual(expected("admin"));
});

test("a page of another origin reads nothing, and its calls start nothing [P06] [P08]", async () => {
  const { url } = await serveAsProcess(files);
  const origin = await serveSite(site({ url, token: processToken, maxRetries: 0 }, url));
  expect(await seenBy(await openPage(), `${origin}/page`)).toMatchObject({
    error: expect.stringContaining("no connection"),
  });
});

const steps = 12;

/** A chain of some steps that take a while, each with an effect in a file. */
const slowFiles: Readonly<Record<string, string>> = {
  "windlass.yaml": "",
  "tools/mark.ts": `import { appendFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { defineTool } from ${JSON.stringify(toolIndex)};
export const mark = defineTool({
  name: "mark", description: "Writes a line.", effect: "idempotent",
  input: { type: "object", properties: { line: { type: "integer" } }, required: ["line"] },
  run: async ({ line }) => {
    await pause(250);
    await appendFile("marks.txt", line + "\\n");
    return { line };
  },
});
`,
  "chains/slow.yaml": `name: slow
steps:
${Array.from({ length: steps }, (_, at) => `  - { id: s${at}, tool: mark, params: { line: ${at} }${at > 0 ? `, depends_on: [s${at - 1}]` : ""} }\n`).join("")}`,
};

/** Waits until the chain has done this number of steps. */
async function marked(dir: string, count: number): Promise<void> {
  for (;;) {
    const text = await readFile(join(dir, "marks.txt"), "utf8").catch(() => "");
    if (text.split("\n").length > count) return;
    await pause(20);
  }
}

interface JournaledEvent {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly seq?: number; readonly status?: string };
}

test("a run is followed in Node and in a browser while the server is killed twice; no event is lost or doubled [P03] [P08]", async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const options = { url, token: processToken };
  const use = 'followRun(client, "slow-1")';
  const origin = await serveSite(site(options, url, use));
  const served = await serveAsProcess(slowFiles, ["--allow-origin", origin], port);
  const client = createClient(options);
  await client.runs.start("slow", {}, { runId: "slow-1" });
  const page = await openPage();
  const inBrowser = seenBy(page, `${origin}/page`);
  const inNode = seenByNode(options, use);
  for (const count of [3, 8]) {
    await marked(served.dir, count);
    await served.kill();
    await served.start();
  }
  const seen = (await Promise.all([inNode, inBrowser])) as JournaledEvent[][];
  const whole = (await seenByNode(options, use)) as JournaledEvent[];
  expect(seen).toEqual([whole, whole]);
  expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length);
  const seqs = whole.flatMap(({ data }) => data.seq ?? []);
  expect(seqs).toEqual(seqs.map((_, at) => at + 1));
  expect(seqs.length).toBeGreaterThanOrEqual(2 * steps);
  expect(whole.at(-1)?.data.status).toBe("success");
}, 120_000);
