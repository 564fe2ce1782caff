import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type LoopbackSite, loopbackSite } from "../support/loopback-site.ts";
import { type CellCall, cellFiles, cellFolder, safetyWays } from "./safety-ways.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  site.paths.length = 0;
});

/** A page that names a file and a host. */
let site: LoopbackSite;
beforeAll(async () => {
  site = await loopbackSite((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ path: "notes/b.md", origin: site.origin }));
  });
});
afterAll(() => site.close());

const page = (): string => `${site.origin}/page`;

/** The page decides which file is written. */
const write = (): CellCall => ({
  tool: "put",
  args: { path: "notes/b.md", content: "x" },
  after: { page: page(), params: { path: "${steps.page.output.body.path}", content: "x" } },
});

/** The page decides which host gets data: the URL is not in the page. */
const send = (): CellCall => ({
  tool: "get",
  args: { url: `${site.origin}/sent?d=private` },
  after: { page: page(), params: { url: "${steps.page.output.body.origin}/sent?d=private" } },
});

const untrusting = { ask: [], allow: ["*"] };
const needsApproval = /approval_required|needs? approval|no approver is available|"status":"waiting"/;

describe("a rule that says trusted lets the call run", () => {
  test.each(safetyWays)("through $way", async ({ reach }) => {
    const folder = await cellFolder(write(), cellFiles(site), closing);
    expect(await reach(folder)).not.toMatch(needsApproval);
    expect(existsSync(join(folder.dir, "notes/b.md"))).toBe(true);
    await reach(await cellFolder(send(), cellFiles(site), closing));
    expect(site.paths).toContain("/sent?d=private");
  });
});

describe("[S3] a file that untrusted content chose is not written without approval", () => {
  test.each(safetyWays)("through $way", async ({ reach }) => {
    const folder = await cellFolder(write(), cellFiles(site, untrusting), closing);
    const seen = await reach(folder);
    expect(existsSync(join(folder.dir, "notes/b.md"))).toBe(false);
    expect(seen).toMatch(needsApproval);
  });
});

describe("[S3] a host that untrusted content chose gets no request without approval", () => {
  test.each(safetyWays)("through $way", async ({ reach }) => {
    const seen = await reach(await cellFolder(send(), cellFiles(site, untrusting), closing));
    expect(site.paths).not.toContain("/sent?d=private");
    expect(seen).toMatch(needsApproval);
  });
});
