import { describe, expect, test } from "vitest";
import { checkHeaders } from "./check-headers.ts";

const secret = "s3cr3t";

describe("request headers", () => {
  test("names become lower case, values are trimmed, lists stay lists", () => {
    expect([...checkHeaders({ "X-A": " 1 ", Accept: ["a", "b"], "X-Empty": "", "X-Latin": "café" })]).toEqual([
      ["x-a", ["1"]],
      ["accept", ["a", "b"]],
      ["x-empty", [""]],
      ["x-latin", ["café"]],
    ]);
  });

  test.each([
    "Host",
    "host",
    "Content-Length",
    "Transfer-Encoding",
    "Connection",
    "Proxy-Authorization",
    "proxy-connection",
    "Proxy-Anything",
    "Upgrade",
    "TE",
    "Trailer",
    "Keep-Alive",
    "Expect",
    "HTTP2-Settings",
  ])("%s belongs to the connection", (name) => {
    expect(() => checkHeaders({ [name]: secret })).toThrow(
      expect.objectContaining({ code: "validation_error", reason: "forbidden_header" }),
    );
  });

  test.each(["", " ", "X A", "X:A", "X\r\nY", "X\0", "头", "x".repeat(5000) + " "])(
    "%j is not a header name",
    (name) => {
      expect(() => checkHeaders({ [name]: secret })).toThrow(expect.objectContaining({ reason: "invalid_header" }));
    },
  );

  test.each([
    `a\r\nX-B: ${secret}`,
    `${secret}\n`,
    `${secret}\0`,
    `${secret}\u007f`,
    `${secret}你好`,
    `${secret}\u2028`,
  ])("a value like %j is refused, and not shown", (value) => {
    const check = (): unknown => checkHeaders({ "X-A": value });
    expect(check).toThrow(expect.objectContaining({ code: "validation_error", reason: "invalid_header" }));
    expect(check).toThrow('"x-a"');
    expect(check).not.toThrow(secret);
  });

  test("one header under two spellings is refused", () => {
    expect(() => checkHeaders({ "X-A": "1", "x-a": "2" })).toThrow(/given twice/);
  });

  test("a mountain of headers is refused", () => {
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`x-${i}`, "0123456789"]));
    expect(() => checkHeaders(many)).toThrow(/larger than/);
  });
});
