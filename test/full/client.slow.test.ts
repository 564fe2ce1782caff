import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { files } from "../server/route-samples.ts";
import { adminToken, serveWorkspace } from "../server/serve-workspace.ts";
import { freePort, processToken, serveAsProcess } from "../support/served-process.ts";
import { type Page, type SiteFiles, openPage, serveSite } from "./browser.ts";
import { needsPackages } from "./packages.ts";

needsPackages();

const builtClient = new URL("../../dist/client.js", import.meta.url);
const scenario = new URL("client-scenario.ts", import.meta.url);
let clientText = "";
let scenarioText = "";
beforeAll(async () => {
  clientText = await readFile(builtClient, "utf8");
  scenarioText = stripTypeScriptTypes(await readFile(scenario, "utf8"));
});

/** A page with the client as an ES module, under a policy that allows nothing else. */
function site(options: object, connect: string): SiteFiles {
  const module = `import { createClient } from "/client.js";
import { useClient } from "/client-scenario.js";
let seen;
try {
  seen = await useClient(createClient(${JSON.stringify(options)}));
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

test("the built client calls, runs, waits, approves and saves in Node [P08]", async () => {
  const { url } = await serveAsProcess(files);
  const code = `import { createClient } from ${JSON.stringify(builtClient.href)};
import { useClient } from ${JSON.stringify(scenario.href)};
console.log(JSON.stringify(await useClient(createClient({ url: ${JSON.stringify(url)}, token: ${JSON.stringify(processToken)} }))));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code]);
  expect(JSON.parse(stdout)).toEqual(expected("WINDLASS_TOKEN"));
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
