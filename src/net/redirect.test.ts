import { describe, expect, test } from "vitest";
import { parseAllowList } from "./allow-list.ts";
import { checkHeaders } from "./check-headers.ts";
import { type RedirectHop, isRedirect, nextRedirectHop } from "./redirect.ts";

const allow = parseAllowList([]);

function hop(url: string, method = "GET", headers: Record<string, string> = {}): RedirectHop {
  return { url: new URL(url), method, headers: checkHeaders(headers), body: method === "GET" ? undefined : "{}" };
}

describe("a redirect", () => {
  test.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [303, "DELETE", "GET"],
    [303, "HEAD", "HEAD"],
    [301, "PUT", "PUT"],
    [302, "HEAD", "HEAD"],
    [307, "POST", "POST"],
    [308, "PATCH", "PATCH"],
  ])("%i turns %s into %s", (status, method, expected) => {
    const next = nextRedirectHop(
      hop("https://a.example/", method, { "content-type": "application/json", "x-a": "1" }),
      { status, location: "/b" },
      allow,
    );
    expect(next.method).toBe(expected);
    expect(next.url.href).toBe("https://a.example/b");
    expect(next.body).toBe(expected === method ? "{}" : undefined);
    expect([...next.headers.keys()]).toEqual(expected === method ? ["content-type", "x-a"] : ["x-a"]);
  });

  test("a redirect to another origin keeps harmless headers, and drops all others regardless of their name", () => {
    const headers = {
      Authorization: "Bearer k",
      Cookie: "s=1",
      "X-Api-Key": "k",
      "X-Goog-Api-Key": "k",
      "X-Auth-Token": "k",
      "X-Access-Token": "k",
      ApiKey: "k",
      "X-Session-Id": "k",
      "X-Amz-Security-Token": "k",
      "Private-Token": "k",
      "X-Client-Secret": "k",
      "X-Trace": "1",
      "X-Company": "k",
      "Ocp-Apim-Subscription-Key": "k",
      "X-Pin": "k",
      "Idempotency-Key": "k",
      Referer: "https://a.example/private",
      Accept: "text/html",
      "Accept-Language": "zh",
      "If-None-Match": '"e"',
      Range: "bytes=0-9",
    };
    const stored = (location: string): string[] => [
      ...nextRedirectHop(hop("https://a.example/", "GET", headers), { status: 302, location }, allow).headers.keys(),
    ];
    const harmless = ["accept", "accept-language", "if-none-match", "range"];
    expect(stored("https://b.example/")).toEqual(harmless);
    expect(stored("https://a.example:8443/")).toEqual(harmless);
    expect(stored("https://a.example/other")).toEqual(Object.keys(headers).map((name) => name.toLowerCase()));
  });

  test.each([
    [307, "POST"],
    [308, "PATCH"],
    [302, "PUT"],
  ])("%i of a %s with a body is not followed to another origin", (status, method) => {
    const next = (body: string | Uint8Array | undefined, location: string): RedirectHop =>
      nextRedirectHop({ ...hop("https://a.example/", method), body }, { status, location }, allow);
    for (const body of ["{}", new Uint8Array(1)]) {
      for (const location of ["https://b.example/", "https://a.example:8443/"]) {
        expect(() => next(body, location)).toThrow(
          expect.objectContaining({ code: "execution_error", reason: "cross_origin_body" }),
        );
      }
      expect(next(body, "/other").body).toBe(body);
    }
    expect(next(undefined, "https://b.example/").method).toBe(method);
    expect(next("", "https://b.example/").method).toBe(method);
  });

  test("a redirect that turns a POST into a GET is followed to another origin without the body", () => {
    const next = nextRedirectHop(
      hop("https://a.example/", "POST", { "content-type": "text/plain" }),
      { status: 303, location: "https://b.example/" },
      allow,
    );
    expect(next).toMatchObject({ method: "GET", body: undefined });
    expect([...next.headers.keys()]).toEqual([]);
  });

  test.each([
    ["http://b.example/", "https_downgrade"],
    ["http://a.example/", "https_downgrade"],
    ["https://127.0.0.1/", "ssrf_ip"],
    ["//[::1]/", "ssrf_ip"],
    ["//2130706433/", "ssrf_ip"],
    ["https://localhost/", "bad_host"],
    ["https://u:p@b.example/", "url_credentials"],
    ["file:///etc/passwd", "bad_scheme"],
    ["https://b.example:25/", "bad_port"],
    ["https://256.256.256.256/", "bad_url"],
  ])("a redirect to %s is refused: %s", (location, reason) => {
    expect(() => nextRedirectHop(hop("https://a.example/"), { status: 302, location }, allow)).toThrow(
      expect.objectContaining({ reason, message: expect.stringMatching(/^a\.example redirects/) as string }),
    );
  });

  test("may have a location in UTF-8 bytes", () => {
    const location = Buffer.from("/路径?q=值").toString("latin1");
    const next = nextRedirectHop(hop("https://a.example/"), { status: 302, location }, allow);
    expect(decodeURI(next.url.href)).toBe("https://a.example/路径?q=值");
  });

  test("needs a redirect's status and a location", () => {
    expect(isRedirect({ status: 302, location: "/a" })).toBe(true);
    expect(isRedirect({ status: 302, location: undefined })).toBe(false);
    expect(isRedirect({ status: 200, location: "/a" })).toBe(false);
    expect(isRedirect({ status: 304, location: "/a" })).toBe(false);
  });
});

test("[S12] a header that holds a secret is dropped on a redirect to another origin, even if its name is harmless", () => {
  const from: RedirectHop = {
    ...hop("https://a.example/", "GET", { "User-Agent": "key", Accept: "text/html" }),
    secretHeaders: new Set(["user-agent"]),
  };
  const to = (location: string): string[] => [
    ...nextRedirectHop(from, { status: 302, location }, allow).headers.keys(),
  ];
  expect(to("/b")).toEqual(["user-agent", "accept"]);
  expect(to("https://b.example/")).toEqual(["accept"]);
  // Through a hop on the same origin first.
  const second = nextRedirectHop(from, { status: 302, location: "/b" }, allow);
  expect([...nextRedirectHop(second, { status: 302, location: "https://b.example/" }, allow).headers.keys()]).toEqual([
    "accept",
  ]);
});
