import { describe, expect, test } from "vitest";
import { parseAllowList } from "./allow-list.ts";
import { checkUrl } from "./check-url.ts";

const closed = parseAllowList([]);

describe("a URL", () => {
  test.each([
    "http://example.com/",
    "https://example.com:8443/a?b#c",
    "http://example.com./",
    "https://1.1.1.1/",
    "https://[2606:4700:4700::1111]/",
    "http://例え.jp/",
    "http://my_host.example/",
    "http://localhost.example.com/",
    "http://local.example/",
    "HTTP://EXAMPLE.COM",
  ])("%s leads to the public network", (text) => {
    expect(checkUrl(text, closed).href).toBe(new URL(text).href);
  });

  test.each([
    ["http://localhost./", "bad_host"],
    ["http://localhost../", "bad_host"],
    ["http://a.localhost/", "bad_host"],
    ["http://localhost.localdomain/", "bad_host"],
    ["http://nas.HOME.arpa./", "bad_host"],
    ["http://wiki.corp/", "bad_host"],
    ["http://intranet/", "bad_host"],
    ["http://x.onion/", "bad_host"],
    ["http://ip6-localhost/", "bad_host"],
    ["http://./", "bad_host"],
    ["http://[::ffff:7f00:1]./", "bad_url"],
    ["http://0x7f.1/", "ssrf_ip"],
    ["http://[::ffff:1.1.1.1]/", "ssrf_ip"],
    ["http://[64:ff9b::1.1.1.1]/", "ssrf_ip"],
    ["http://127.0.0.1:8080/", "ssrf_ip"],
    ["http://example.com:0/", "bad_port"],
    ["http://example.com:22/", "bad_port"],
    ["http://example.com:65536/", "bad_url"],
    ["http:///", "bad_url"],
    ["", "bad_url"],
    ["//example.com/", "bad_url"],
    [`http://example.com/${"a".repeat(20_000)}`, "bad_url"],
    ["file:///etc/passwd", "bad_scheme"],
    ["ws://example.com/", "bad_scheme"],
    ["http://user@example.com/", "url_credentials"],
    ["http://:pw@example.com/", "url_credentials"],
  ])("%s is refused: %s", (text, reason) => {
    expect(() => checkUrl(text, closed)).toThrow(expect.objectContaining({ reason }));
  });

  test("opens nothing by the way it is written", () => {
    const allow = parseAllowList(["127.0.0.1:8888"]);
    expect(checkUrl("http://2130706433:8888/", allow).host).toBe("127.0.0.1:8888");
    expect(() => checkUrl("http://[::ffff:127.0.0.1]:8888/", allow)).toThrow(/not a public address/);
    expect(() => checkUrl("http://127.0.0.1:8889/", allow)).toThrow(/not a public address/);
  });
});
