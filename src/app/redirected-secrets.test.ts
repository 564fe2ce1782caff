import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { folderWith } from "../../test/support/workspace.ts";
import { openWorkspace } from "./open-workspace.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Two servers on two origins: the first redirects to the second, which records the headers it gets. */
async function redirecting(): Promise<{ ports: number[]; received: IncomingHttpHeaders[] }> {
  const received: IncomingHttpHeaders[] = [];
  const other = createServer((request, response) => {
    received.push(request.headers);
    response.end("{}");
  });
  const first = createServer((_request, response) => {
    const { port } = other.address() as AddressInfo;
    response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end();
  });
  for (const server of [other, first]) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => server.close());
  }
  return { ports: [first, other].map((server) => (server.address() as AddressInfo).port), received };
}

test("[S12] a secret in User-Agent or Accept does not follow a redirect to another origin", async () => {
  const { ports, received } = await redirecting();
  const [port] = ports;
  const dir = await folderWith({
    "windlass.yaml": [
      `network: { allow: [${ports.map((each) => `"127.0.0.1:${each}"`).join(", ")}] }`,
      "secrets: { KEY: env }",
    ].join("\n"),
    "tools/ask.yaml": [
      "name: ask_service",
      "description: Asks.",
      "entry:",
      "  type: external",
      `  url: http://127.0.0.1:${port}/`,
      '  headers: { User-Agent: "app ${secret.KEY}", Accept: application/json, X-Plain: x }',
    ].join("\n"),
  });
  const env = { KEY: "s3cr3t-of-the-service" };
  const workspace = await openWorkspace(dir, { reload: false, store: "memory", env });
  closing.push(() => workspace.close());
  expect(await workspace.engine.call("ask_service", {})).toMatchObject({ success: true });
  const headers = { Accept: `text/plain; v=${env.KEY}`, "Accept-Language": "en" };
  const request = { url: `http://127.0.0.1:${port}/`, headers };
  expect(await workspace.engine.call("http_request", request)).toMatchObject({ success: true });
  expect(received).toHaveLength(2);
  expect(JSON.stringify(received)).not.toContain(env.KEY);
  expect(received[0]).toMatchObject({ accept: "application/json" });
  expect(received[1]).toMatchObject({ "accept-language": "en" });
});
