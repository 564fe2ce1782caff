/** Lists the rows of docs/rows.md with their tests and the open parts; fails if no test title names a row. */
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [claims = "", openParts = ""] = (await readFile(`${root}/docs/rows.md`, "utf8")).split("\n## Open\n");
const claimed = readTable(claims);
const open = readTable(openParts);

function readTable(page: string): { id: string; feature: string }[] {
  return [...page.matchAll(/^\| ([A-Z]\d{1,2}) \| (.+) \|$/gm)].map(([, id = "", feature = ""]) => ({ id, feature }));
}

/** A title names rows as `[S4]`, `[S4] [F1]` or `[S4, F1]`. */
const ids = /\[([A-Z]\d{1,2}(?:, ?[A-Z]\d{1,2})*)\]/g;

const titles: { id: string; where: string }[] = [];
for (const file of globSync(["src/**/*.test.ts", "test/**/*.ts"], { cwd: root })) {
  const lines = (await readFile(`${root}/${file}`, "utf8")).split("\n");
  for (const [index, line] of lines.entries()) {
    if (!/["'`].*\[[A-Z]\d/.test(line)) continue;
    for (const [, list = ""] of line.matchAll(ids))
      for (const id of list.split(/, ?/)) titles.push({ id, where: `${file}:${index + 1}` });
  }
}

const missing: string[] = [];
for (const { id, feature } of claimed) {
  const tests = titles.filter((title) => title.id === id);
  if (tests.length === 0) missing.push(id);
  console.log(`${tests.length === 0 ? "MISSING" : "ok     "} ${id} ${feature}`);
  for (const { where } of tests) console.log(`          ${where}`);
}
for (const { id, feature } of open) console.log(`open    ${id} ${feature}`);
const strangers = titles.filter(({ id }) => ![...claimed, ...open].some((row) => row.id === id));
for (const { id, where } of strangers) console.log(`unclaimed ${id} ${where}`);
console.log(`\n${claimed.length - missing.length} of ${claimed.length} rows have tests; ${open.length} parts are open`);
if (missing.length > 0) console.log(`without a test: ${missing.join(" ")}`);
process.exitCode = missing.length > 0 ? 1 : 0;
