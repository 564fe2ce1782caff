import { expect, test } from "vitest";
import { withoutCredentials } from "./index.ts";

test.each([
  ["https://me:secret@example.com/a?b=1#c", "https://example.com/a?b=1#c"],
  ["https://secret@example.com/", "https://example.com/"],
  ["https://:secret@example.com/", "https://example.com/"],
  ["http:me:secret@example.com/a", "http://example.com/a"],
  ["http:\\\\me:sec@ret@example.com/", "http://example.com/"],
  [" ht\ntp://me:secret@example.com/", "http://example.com/"],
  ["ftp://me:secret@example.com/f", "ftp://example.com/f"],
  ["http://me:secret@", "http://"],
  ["http://me:secret@:99999/x", "http://:99999/x"],
  ["//me:secret@example.com/x", "//example.com/x"],
])("%s is shown as %s", (address, shown) => {
  expect(withoutCredentials(address)).toBe(shown);
});

test.each([
  "https://example.com/@me",
  "https://example.com/?mail=me@example.com",
  "HTTP://Example.com/%41@",
  "mailto:me@example.com",
  "memory:a@b",
  "not an address, me@example.com",
  "",
])("%s stays as it is", (address) => {
  expect(withoutCredentials(address)).toBe(address);
});
