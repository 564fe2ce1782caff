import { afterEach, describe, expect, test } from "vitest";
import { type LoopbackSite, type SiteHandler, loopbackSite } from "../../test/support/loopback-site.ts";
import { type Door, type DoorOptions, createDoor } from "./index.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(handler: SiteHandler = (_request, response) => response.end("here")): Promise<LoopbackSite> {
  const site = await loopbackSite(handler);
  closing.push(() => site.close());
  return site;
}

function doorTo(service: string, options: DoorOptions = {}): Door {
  const door = createDoor({ ...options, service: new URL(service), connectTimeoutMs: 500 });
  closing.push(() => door.close());
  return door;
}

const refused = (reason: string): object => expect.objectContaining({ code: "permission_denied", reason }) as object;

describe("a door to a service", () => {
  test("opens it on this machine, by its address and by a name, and nothing beside it", async () => {
    const [site, other] = [await serve(), await serve()];
    const door = doorTo(`${site.origin}/v1`);
    expect(await door.request({ url: `${site.origin}/any` })).toMatchObject({ status: 200 });
    await expect(door.request({ url: `${other.origin}/` })).rejects.toEqual(refused("ssrf_ip"));
    await expect(door.request({ url: `http://localhost:${site.port}/` })).rejects.toEqual(refused("bad_host"));
    const named = doorTo(`http://ollama:${site.port}`, { resolve: () => Promise.resolve(["127.0.0.1"]) });
    expect(await named.request({ url: `http://ollama:${site.port}/` })).toMatchObject({ status: 200 });
    expect(other.paths).toEqual([]);
  });

  test("does not go where the service redirects to", async () => {
    const other = await serve();
    const site = await serve((_request, response) => response.writeHead(302, { location: other.origin }).end());
    await expect(doorTo(site.origin).request({ url: site.origin })).rejects.toEqual(refused("ssrf_ip"));
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
    "http://0xa9fea9fe",
    "http://169.254.169.254.",
  ])("does not open where clouds keep credentials: %s", async (url) => {
    await expect(doorTo(url).request({ url: `${url}/v1` })).rejects.toEqual(refused("ssrf_ip"));
  });

  test("does not follow its name there either, which only an entry opens", async () => {
    const url = "http://metadata.google.internal";
    const resolve = (): Promise<string[]> => Promise.resolve(["169.254.169.254"]);
    await expect(doorTo(url, { resolve }).request({ url })).rejects.toEqual(refused("ssrf_dns"));
    const dial = (): never => {
      throw Object.assign(new Error("nobody is there"), { code: "ECONNREFUSED" });
    };
    const open = doorTo(url, { resolve, dial, allow: ["169.254.169.254:80"] });
    await expect(open.request({ url })).rejects.toMatchObject({ reason: "connect_failed" });
  });

  test("keeps ports closed that belong to other protocols", async () => {
    const url = "http://127.0.0.1:6379";
    await expect(doorTo(url).request({ url })).rejects.toEqual(refused("bad_port"));
  });
});
