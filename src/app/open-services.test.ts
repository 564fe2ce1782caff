import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type LoopbackSite, type SiteHandler, loopbackSite } from "../../test/support/loopback-site.ts";
import { folderWith, writeFiles } from "../../test/support/workspace.ts";
import type { ToolResult } from "../tool/index.ts";
import { openWorkspace } from "./open-workspace.ts";
import { parseWorkspace } from "./parse-workspace.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(handler: SiteHandler): Promise<LoopbackSite> {
  const site = await loopbackSite(handler);
  closing.push(site.close);
  return site;
}

/** One call in a separate workspace, as a short-lived process makes it. */
async function callOnce(dir: string, tool: string, args: unknown): Promise<ToolResult> {
  const workspace = await openWorkspace(dir, { reload: false });
  try {
    return await workspace.engine.call(tool, args, { maxRetries: 0 });
  } finally {
    await workspace.close();
  }
}

describe("[D06] pages of a workspace", () => {
  const marked: SiteHandler = (request, response) => {
    if (request.url === "/robots.txt") return void response.writeHead(404).end();
    const same = request.headers["if-none-match"] === '"1"';
    response.writeHead(same ? 304 : 200, { "content-type": "text/plain", etag: '"1"' }).end(same ? "" : "the tide");
  };
  const requested = ({ requests }: LoopbackSite): (string | undefined)[] =>
    requests.filter(({ url }) => url !== "/robots.txt").map(({ headers }) => headers["if-none-match"]);

  test("are stored for the next process, which only checks whether they changed", async () => {
    const site = await serve(marked);
    const dir = await folderWith({ "windlass.yaml": `network: { allow: ["127.0.0.1:${site.port}"] }` });
    const url = `${site.origin}/`;
    for (const _turn of [1, 2, 3]) {
      expect(await callOnce(dir, "web_fetch", { url })).toMatchObject({ output: { content: "the tide" } });
    }
    expect(requested(site)).toEqual([undefined, '"1"', '"1"']);
  });

  test("are not found when the network is closed again", async () => {
    const site = await serve((request, response) => {
      if (request.url === "/robots.txt") response.writeHead(404).end();
      else response.writeHead(200, { "content-type": "text/plain", "cache-control": "max-age=3600" }).end("the tide");
    });
    const dir = await folderWith({ "windlass.yaml": `network: { allow: ["127.0.0.1:${site.port}"] }` });
    const url = `${site.origin}/`;
    await callOnce(dir, "web_fetch", { url });
    expect(await callOnce(dir, "web_fetch", { url })).toMatchObject({ success: true });
    expect(site.paths.filter((path) => path === "/")).toHaveLength(1);
    await writeFiles(dir, { "windlass.yaml": "timezone: UTC" });
    expect(await callOnce(dir, "web_fetch", { url })).toMatchObject({ error: { reason: "ssrf_ip" } });
  });

  test("open no file when nothing is fetched", async () => {
    const dir = await folderWith({});
    await callOnce(dir, "calculator", { expression: "1+1" });
    await callOnce(dir, "memory_store", { content: "the tide" });
    await callOnce(dir, "web_fetch", { url: "memory:none" });
    await callOnce(dir, "web_fetch", { url: "file:///etc/passwd" });
    expect(existsSync(join(dir, ".windlass/memory.db"))).toBe(true);
    expect(existsSync(join(dir, ".windlass/pages.db"))).toBe(false);
  });

  test("are fetched without the cache if its file is damaged", async () => {
    const site = await serve(marked);
    const dir = await folderWith({
      "windlass.yaml": `network: { allow: ["127.0.0.1:${site.port}"] }`,
      ".windlass/pages.db": "no database".repeat(1000),
    });
    const warnings: Error[] = [];
    const note = (warning: Error): number => warnings.push(warning);
    process.on("warning", note);
    closing.push(() => process.off("warning", note));
    const urls = ["/a", "/b", "/c"].map((path) => site.origin + path);
    expect(await callOnce(dir, "parallel_fetch", { urls })).toMatchObject({ success: true });
    await expect.poll(() => warnings.length).toBe(1);
    expect(warnings[0]?.message).toMatch(/without a cache: .*pages\.db.*not a database/);
  });
});

describe("the weather of a workspace", () => {
  test("comes from the services and for the location that windlass.yaml names", async () => {
    const site = await serve((request, response) => {
      const { pathname } = new URL(request.url ?? "", "http://a.test");
      const position = { name: "Hamburg", latitude: 53.55, longitude: 9.99, population: 1_800_000 };
      const answer =
        pathname === "/geo/v1/search" ? { results: [position] } : { current: { time: "2026-03-01T10:00" } };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    const dir = await folderWith({
      "windlass.yaml": [
        `network: { allow: ["127.0.0.1:${site.port}"] }`,
        "secrets: { WEATHER_KEY: { file: key.txt } }",
        "weather:",
        `  forecast_url: ${site.origin}/sky`,
        `  geocoding_url: ${site.origin}/geo`,
        "  api_key: WEATHER_KEY",
        "  default_place: Hamburg",
      ].join("\n"),
      "key.txt": "k3y",
    });
    const result = await callOnce(dir, "get_weather", {});
    expect(result).toMatchObject({ success: true, output: { location: { name: "Hamburg" } } });
    expect(site.paths.map((path) => path.split("?")[0])).toEqual(["/geo/v1/search", "/sky/v1/forecast"]);
    expect(site.paths.every((path) => path.includes("apikey=k3y"))).toBe(true);
  });
});

test.each([
  ["weather: { forecast_url: not an address }"],
  ['weather: { geocoding_url: "ftp://a.test" }'],
  ['search: { searxng_url: "http://me:hunter2@a.test/" }'],
  ["search: { mediawiki_url: wiki }"],
])("an invalid URL is reported with its position: %s", (source) => {
  const { problems } = parseWorkspace(source, "windlass.yaml");
  expect(problems).toHaveLength(1);
  expect(problems[0]?.message).toContain("web address");
  expect(problems[0]?.message).not.toContain("hunter2");
});
