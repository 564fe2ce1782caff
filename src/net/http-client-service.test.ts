import type { TcpNetConnectOpts } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type LoopbackSite, type SiteHandler, loopbackSite } from "../../test/support/loopback-site.ts";
import { type HttpClient, type HttpClientOptions, createHttpClient } from "./index.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(handler: SiteHandler = (_request, response) => response.end("here")): Promise<LoopbackSite> {
  const site = await loopbackSite(handler);
  closing.push(() => site.close());
  return site;
}

function httpTo(service: string, options: HttpClientOptions = {}): HttpClient {
  const http = createHttpClient({ ...options, service: new URL(service), connectTimeoutMs: 500 });
  closing.push(() => http.close());
  return http;
}

const refuse = (): never => {
  throw Object.assign(new Error("connection refused"), { code: "ECONNREFUSED" });
};

const refused = (reason: string): object => expect.objectContaining({ code: "permission_denied", reason }) as object;

describe("an HTTP client for a service", () => {
  test("opens it on this machine, by its address and by a name, and nothing beside it", async () => {
    const [site, other] = [await serve(), await serve()];
    const http = httpTo(`${site.origin}/v1`);
    expect(await http.request({ url: `${site.origin}/any` })).toMatchObject({ status: 200 });
    await expect(http.request({ url: `${other.origin}/` })).rejects.toEqual(refused("ssrf_ip"));
    await expect(http.request({ url: `http://localhost:${site.port}/` })).rejects.toEqual(refused("bad_host"));
    const named = httpTo(`http://ollama:${site.port}`, { resolve: () => Promise.resolve(["127.0.0.1"]) });
    expect(await named.request({ url: `http://ollama:${site.port}/` })).toMatchObject({ status: 200 });
    expect(other.paths).toEqual([]);
  });

  test("does not follow a redirect of the service", async () => {
    const other = await serve();
    const site = await serve((_request, response) => response.writeHead(302, { location: other.origin }).end());
    await expect(httpTo(site.origin).request({ url: site.origin })).rejects.toEqual(refused("ssrf_ip"));
    expect(other.paths).toEqual([]);
  });

  test.each([
    "http://169.254.169.254",
    "http://169.254.170.2",
    "http://100.100.100.200",
    "http://192.0.0.192",
    "http://168.63.129.16",
    "http://[fd00:ec2::254]",
    "http://[fe80::a9fe:a9fe]",
    "http://[::ffff:169.254.169.254]",
    "http://[::169.254.169.254]",
    "http://[64:ff9b::169.254.169.254]",
    // Translated, and by a network's own translator behind prefixes of 96, 64, 56 and 48 bits.
    "http://[::ffff:0:a9fe:a9fe]",
    "http://[64:ff9b:1::a9fe:a9fe]",
    "http://[64:ff9b:1:0:a9:fea9:fe00:0]",
    "http://[64:ff9b:1:a9:fe:a9fe::]",
    "http://[64:ff9b:1:a9fe:a9:fe00::]",
    // In tunnels: 6to4, and Teredo, which inverts the address.
    "http://[2002:a9fe:a9fe::]",
    "http://[2002:6464:64c8::1]",
    "http://[2001:0:1:2:3:4:5601:5601]",
    "http://100.96.0.96",
    "http://[fd00:100::100:200]",
    "http://[fd00:c1::a9fe:a9fe]",
    "http://[fd00:42::42]",
    "http://[fd00:a9fe:a9fe::1]",
    "http://[fd20:ce::254]",
    "http://0xa9fea9fe",
    "http://169.254.169.254.",
  ])("blocks the addresses of cloud credentials: %s", async (url) => {
    await expect(httpTo(url).request({ url: `${url}/v1` })).rejects.toEqual(refused("ssrf_ip"));
  });

  test.each(["[fd00:42::43]", "[fd00:c1::1]", "[2002:a00:1::]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::10.0.0.1]"])(
    "allows addresses next to a blocked range: %s",
    async (host) => {
      await expect(httpTo(`http://${host}`, { dial: refuse }).request({ url: `http://${host}` })).rejects.toMatchObject(
        {
          reason: "connect_failed",
        },
      );
    },
  );

  test("a public name opens no private address, which only an entry does", async () => {
    const site = await serve();
    const url = `http://models.partner.com:${site.port}`;
    const resolve = (): Promise<string[]> => Promise.resolve(["127.0.0.1"]);
    const rejected = await httpTo(url, { resolve })
      .request({ url })
      .catch((error: unknown) => error);
    expect(rejected).toEqual(refused("ssrf_dns"));
    expect(String(rejected)).toContain(`add "models.partner.com:${site.port}" to network.allow`);
    const allow = [`models.partner.com:${site.port}`];
    expect(await httpTo(url, { resolve, allow }).request({ url })).toMatchObject({ status: 200 });
  });

  test.each(["localhost", "ollama", "gpu.lan", "models.home.arpa", "llm.corp", "gpu.local."])(
    "a name in a private network opens the address it resolves to: %s",
    async (host) => {
      const site = await serve();
      const url = `http://${host}:${site.port}`;
      const http = httpTo(url, { resolve: () => Promise.resolve(["127.0.0.1"]) });
      expect(await http.request({ url })).toMatchObject({ status: 200 });
    },
  );

  test("a service at an IPv6 address is found there, without its brackets", async () => {
    const dialled: unknown[] = [];
    const dial = ({ host, port }: TcpNetConnectOpts): never => {
      dialled.push({ host, port });
      return refuse();
    };
    const url = "http://[::1]:8080";
    await expect(httpTo(url, { dial }).request({ url })).rejects.toMatchObject({ reason: "connect_failed" });
    expect(dialled).toEqual([{ host: "::1", port: 8080 }]);
  });

  test("does not follow its name there either, which only an entry opens", async () => {
    const url = "http://metadata.google.internal";
    const resolve = (): Promise<string[]> => Promise.resolve(["169.254.169.254"]);
    await expect(httpTo(url, { resolve }).request({ url })).rejects.toEqual(refused("ssrf_dns"));
    const open = httpTo(url, { resolve, dial: refuse, allow: ["169.254.169.254:80"] });
    await expect(open.request({ url })).rejects.toMatchObject({ reason: "connect_failed" });
  });

  test("blocks ports of other protocols", async () => {
    const url = "http://127.0.0.1:6379";
    await expect(httpTo(url).request({ url })).rejects.toEqual(refused("bad_port"));
    const open = httpTo(url, { allow: ["127.0.0.1:6379"], dial: refuse });
    await expect(open.request({ url })).rejects.toMatchObject({ reason: "connect_failed" });
  });
});
