import { createHash } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { loopbackSite } from "../../../test/support/loopback-site.ts";
import { type Engine, createEngine } from "../../engine/index.ts";
import { createHttpClient } from "../../net/index.ts";
import { closeExtraction } from "../extract/index.ts";
import { createPageReader, fetchPageTool, parallelFetchTool, webFetchTool } from "./index.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await closeExtraction();
});

async function serve(body: Uint8Array, type?: string): Promise<{ engine: Engine; url: string }> {
  const { origin, port, close } = await loopbackSite(({ url }, response) => {
    if (url === "/robots.txt") response.writeHead(404).end();
    else response.writeHead(200, type === undefined ? {} : { "content-type": type }).end(body);
  });
  const http = createHttpClient({ allow: [`127.0.0.1:${port}`] });
  const pages = createPageReader({ http, limits: { maxBytes: 1_000_000 } });
  const engine = createEngine({
    tools: [webFetchTool, fetchPageTool, parallelFetchTool].map((make) => make({ pages })),
  });
  closing.push(
    close,
    () => http.close(),
    () => engine.close(),
  );
  return { engine, url: `${origin}/file` };
}

/** Bytes that look random, always the same for a seed; without these bytes. */
function noise(length: number, without: readonly number[] = []): Buffer {
  const bytes: number[] = [];
  for (let block = 0; bytes.length < length; block++)
    bytes.push(
      ...createHash("sha256")
        .update(`seed ${block}`)
        .digest()
        .filter((byte) => !without.includes(byte)),
    );
  return Buffer.from(bytes.slice(0, length));
}

const octets = "application/octet-stream";
const prose = "Twice a day the tide fills the pond of the mill.\n";

describe("[H4] binary content", () => {
  test.each<[string, Uint8Array, string | undefined, RegExp]>([
    ["random bytes", noise(3_000), octets, /application\/octet-stream.*3000 bytes/],
    ["random bytes without zeros", noise(3_000, [0]), octets, /application\/octet-stream.*3000 bytes/],
    ["a few bytes", Buffer.from([1, 2, 3, 250, 251, 4, 5]), octets, /7 bytes/],
    ["compressed text", deflateRawSync(noise(5_000)), octets, /octet-stream/],
    ["bytes without a type", noise(3_000, [0]), undefined, /a binary document.*3000 bytes/],
    ["bytes that are called plain text", noise(3_000, [0]), "text/plain", /text\/plain.*3000 bytes/],
    ["bytes that are called a page", noise(3_000, [0]), "text/html; charset=utf-8", /text\/html.*3000 bytes/],
    ["bytes that are called JSON", noise(3_000, [0]), "application/json", /application\/json.*3000 bytes/],
    ["bytes behind text", Buffer.concat([Buffer.from(prose.repeat(200)), noise(90_000, [0])]), octets, /bytes/],
    ["more bytes than are read", noise(1_200_000, [0]), octets, /more than 1000000 bytes/],
    ["a picture", Buffer.from("\u0089PNG\r\n\u001a\n", "latin1"), "image/png", /image\/png.*8 bytes/],
  ])("is refused with its type and size: %s", async (_, body, type, message) => {
    const { engine, url } = await serve(body, type);
    for (const tool of ["web_fetch", "fetch_page"]) {
      expect(await engine.call(tool, { url })).toMatchObject({
        success: false,
        error: {
          code: "execution_error",
          reason: "unsupported_type",
          retry: "never",
          message: expect.stringMatching(message),
        },
      });
    }
    const batch = JSON.stringify(await engine.call("parallel_fetch", { urls: [url, `${url}2`] }));
    expect(batch).toMatch(/unsupported_type|page_too_large/);
  });

  test.each<[string, Uint8Array, string | undefined]>([
    ["text", Buffer.from(prose), octets],
    ["text in UTF-16", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(prose, "utf16le")]), octets],
    ["Chinese in UTF-16", Buffer.from("潮汐每天两次填满磨坊的池塘。", "utf16le"), "text/plain; charset=utf-16le"],
    ["Chinese in GB18030", Buffer.from([0xb3, 0xb1, 0xcf, 0xab, 0xa1, 0xa3]), "text/plain; charset=gb18030"],
    ["a terminal log", Buffer.from("\u001b[32mok\u001b[0m 12 tests\r\n"), "text/plain"],
    ["a page with a stray control character", Buffer.from(`<p>${prose}\u0001${prose}`), "text/html"],
  ])("is not confused with %s", async (_, body, type) => {
    const { engine, url } = await serve(body, type);
    expect(await engine.call("web_fetch", { url })).toMatchObject({ success: true });
  });
});
