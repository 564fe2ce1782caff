import { expect, test } from "vitest";
import { createRedactor } from "../../secrets/index.ts";
import { maskSecrets } from "./report-problems.ts";

const redactor = createRedactor(["hunter2-in-a-header"]);

test.each([
  ['  "API_KEY": "abc123", // why', '  "API_KEY": "••••••", // why'],
  ['"X-Odd": "hunter2-in-a-header"', '"X-Odd": "•••••••••••••••••••"'],
  ['"url": "https://me:pw@example.com/"', '"url": "https://•••••@example.com/"'],
])("%s is masked and keeps its length", (line, masked) => {
  expect(maskSecrets(`{\n${line}\n}`, redactor)).toBe(`{\n${masked}\n}`);
});

test.each([
  '"TOKEN": "${input:git-token}"',
  '"Authorization": "Bearer ${secret.KEY}"',
  '"args": ["-y", "thing"], "timeout": 5',
])("%s stays", (line) => expect(maskSecrets(line, redactor)).toBe(line));

test("a value beside a name is masked", () => {
  expect(maskSecrets('"API_KEY": "abc${env.X}"', redactor)).not.toContain("abc");
});
