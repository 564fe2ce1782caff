import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type LoopbackSite, loopbackSite } from "../support/loopback-site.ts";
import { type CellCall, cellFiles, cellFolder, safetyWays } from "./safety-ways.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  site.requests.length = 0;
});

let site: LoopbackSite;
beforeAll(async () => {
  site = await loopbackSite((request, response) => {
    request.resume();
    response.end("the page");
  });
});
afterAll(() => site.close());

const put = (path: string): CellCall => ({ tool: "put", args: { path, content: "export {};" } });
const requests = (): string[] => site.requests.map(({ method, url }) => `${method} ${url}`);

describe("a harmless call runs", () => {
  test.each(safetyWays)("through $way", async ({ reach }) => {
    const folder = await cellFolder(put("notes/b.md"), cellFiles(site), closing);
    expect(await reach(folder)).not.toMatch(/may not be called|approval_required|control file/);
    expect(existsSync(join(folder.dir, "notes/b.md"))).toBe(true);
  });
});

describe("[S1] a control file cannot be written", () => {
  test.each(safetyWays)("through $way", async ({ reach }) => {
    const folder = await cellFolder(put("tools/evil.mjs"), cellFiles(site), closing);
    expect(await reach(folder)).toContain("a control file");
    expect(existsSync(join(folder.dir, "tools/evil.mjs"))).toBe(false);
  });
});

describe("[S2] a rule that denies a tool to a caller on the path holds", () => {
  test.each(safetyWays)("through $way", async ({ way, caller, reach }) => {
    const folder = await cellFolder(put("notes/b.md"), cellFiles(site, { deny: [`${caller}:put`] }), closing);
    const seen = await reach(folder).catch(String);
    // A client of the MCP server is not offered the tool at all.
    expect(seen).toMatch(way === "mcp serve" ? /Unknown tool: put/ : new RegExp(`the rule \\\\*"${caller}:put`));
    expect(existsSync(join(folder.dir, "notes/b.md"))).toBe(false);
  });

  const byName = safetyWays.filter(({ inFile, isOtherName }) => inFile !== true && isOtherName !== true);
  test.each(byName)("through $way that calls a chain with that step", async ({ caller, reach }) => {
    for (const deny of [[`${caller}:put`], []]) {
      const folder = await cellFolder(put("notes/b.md"), cellFiles(site, { deny }), closing);
      const seen = await reach({ ...folder, tool: "one", args: {} });
      expect(seen.includes("may not be called here")).toBe(deny.length > 0);
      expect(existsSync(join(folder.dir, "notes/b.md"))).toBe(deny.length === 0);
    }
  });
});

describe("[S4] an undeclared parameter does not reach the handler", () => {
  const post = (tool: string): CellCall => ({ tool, args: { url: `${site.origin}/page`, method: "POST" } });

  test.each(safetyWays)("through $way", async ({ inFile, reach }) => {
    // A chain that states an undeclared parameter of a tool is refused; of a capability, the contract declares it.
    const folder = await cellFolder(post(inFile ? "capability:get_capability" : "get"), cellFiles(site), closing);
    expect(await reach(folder)).toContain("the page");
    expect(requests()).toEqual(["GET /page"]);
  });

  test.each(safetyWays)("and a declared one does, through $way", async ({ reach }) => {
    const folder = await cellFolder(post("request"), cellFiles(site), closing);
    expect(await reach(folder)).toContain("the page");
    expect(requests()).toEqual(["POST /page"]);
  });

  test.each(["one", "each"])("of a tool that the chain %s names: the chain is refused", async (chain) => {
    const workspace = await (await cellFolder(post("get"), cellFiles(site), closing)).open();
    await expect(workspace.loadChain(chain)).rejects.toThrow(/has no parameter "method"/);
  });
});
