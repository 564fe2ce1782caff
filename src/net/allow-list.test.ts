import { describe, expect, test } from "vitest";
import { parseAddress } from "./address.ts";
import { parseAllowList } from "./allow-list.ts";

describe("an entry allows only what it names", () => {
  test.each([
    ["127.0.0.1:8888", "127.0.0.1", 8888, true],
    ["127.0.0.1:8888", "127.0.0.1", 8889, false],
    ["127.0.0.1:8888", "127.0.0.2", 8888, false],
    ["127.0.0.1:8888", "::ffff:127.0.0.1", 8888, false],
    ["127.0.0.1:8888", "localhost", 8888, false],
    ["127.0.0.1", "127.0.0.1", 1, true],
    ["10.0.0.0/8", "10.200.3.4", 80, true],
    ["10.0.0.0/8", "11.0.0.1", 80, false],
    ["10.0.0.0/8:8080", "10.1.1.1", 8080, true],
    ["10.0.0.0/8:8080", "10.1.1.1", 80, false],
    ["[::1]:80", "::1", 80, true],
    ["[::1]:80", "::1", 81, false],
    ["[::1]", "::1", 81, true],
    ["::1", "::1", 81, true],
    ["fd00::/8", "fd12::1", 443, true],
    ["[fd00::/8]:443", "fd12::1", 443, true],
    ["[fd00::/8]:443", "fd12::1", 80, false],
    ["localhost:3000", "localhost", 3000, true],
    ["localhost:3000", "localhost", 3001, false],
    ["localhost:3000", "a.localhost", 3000, false],
    ["Intranet.Example.:8080", "intranet.example", 8080, true],
    ["intranet.example", "intranet.example", 8443, true],
    ["intranet.example", "xintranet.example", 80, false],
    ["intranet.example", "www.intranet.example", 80, false],
    ["*.corp.example", "a.corp.example", 80, true],
    ["*.corp.example", "a.b.corp.example", 80, true],
    ["*.corp.example", "corp.example", 80, false],
    ["*.corp.example", "evilcorp.example", 80, false],
    ["*.corp.example:81", "a.corp.example", 80, false],
    ["内网.example", new URL("http://内网.example").hostname, 80, true],
    ["  intranet ", "intranet", 80, true],
  ])("%s: %s on port %i is open: %s", (...[entry, host, port, open]) => {
    expect(parseAllowList([entry]).opensHost(host, port)).toBe(open);
  });

  test("an address entry opens the address for any name that leads to it, a name entry does not", () => {
    const address = parseAddress("10.0.0.7")!;
    expect(parseAllowList(["10.0.0.0/8:80"]).opensAddress(address, { host: "x.example", port: 80 })).toBe(true);
    expect(parseAllowList(["10.0.0.0/8:80"]).opensAddress(address, { host: "x.example", port: 81 })).toBe(false);
    expect(parseAllowList(["intranet.example"]).opensAddress(address, { host: "x.example", port: 80 })).toBe(false);
  });

  test("only an entry with a port names that port", () => {
    expect(parseAllowList(["127.0.0.1"]).namesPort("127.0.0.1", 6379)).toBe(false);
    expect(parseAllowList(["127.0.0.1:6379"]).namesPort("127.0.0.1", 6379)).toBe(true);
  });

  test("nothing is open without entries", () => {
    expect(parseAllowList([]).opensHost("localhost", 80)).toBe(false);
  });
});

describe("an entry that cannot be read is refused with advice", () => {
  test.each([
    ["", "write a host"],
    ["*", "write a host"],
    ["*.", "write a host"],
    ["a.*.example", "write a host"],
    ["http://127.0.0.1:8888", "leave out the scheme"],
    ["127.0.0.1:0", "a port is 1 to 65535"],
    ["127.0.0.1:65536", "a port is 1 to 65535"],
    ["127.0.0.1:*", "a port is 1 to 65535"],
    ["localhost:", "a port is 1 to 65535"],
    ["127.1", "write an address"],
    ["10.1.2.3/8", "write an address"],
    ["10.0.0.0/33", "write an address"],
    ["[::1", "write a host"],
    ["[localhost]:80", "write an address"],
    ["::1/200", "write an address"],
    ["a:b:c", "write an address"],
    ["0.0.0.0/0", "name the ones you mean"],
    ["::/0", "name the ones you mean"],
    ["user@host", "write a host"],
    ["host/path", "write a host"],
    ["0x7f000001", "write a host"],
  ])("%j: %s", (entry, advice) => {
    expect(() => parseAllowList([entry])).toThrow(
      expect.objectContaining({ code: "file_invalid", message: expect.stringContaining(advice) as string }),
    );
  });

  test("a YAML number is not an entry", () => {
    // The content of a file may differ from the type.
    expect(() => parseAllowList([8080 as unknown as string])).toThrow(
      "network.allow: 8080 cannot be used; write a text",
    );
  });
});
