import { expect, test } from "vitest";
import { toTarget } from "./address.ts";

test.each([
  ["http://[::1]:8080", { host: "::1", port: 8080 }],
  ["https://[::1]", { host: "::1", port: 443 }],
  ["http://example.com.", { host: "example.com", port: 80 }],
  ["http://127.0.0.1", { host: "127.0.0.1", port: 80 }],
])("%s leads to a bare host and a port", (url, target) => {
  expect(toTarget(new URL(url))).toEqual(target);
});

test("a connection that names its host without brackets has the same target", () => {
  expect(toTarget({ hostname: "::1", port: "", protocol: "https:" })).toEqual({ host: "::1", port: 443 });
});
