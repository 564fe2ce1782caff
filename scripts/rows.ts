/** Lists the rows of docs/rows.md with their tests; fails on a row that no test title names. */
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const rows = await readFile(`${root}/docs/rows.md`, "utf8");
const claimed = [...rows.matchAll(/^\| ([A-Z]\d\d) \| (.+) \|$/gm)].map(([, id = "", feature = ""]) => ({
  id,
  feature,
}));

const titles: { id: string; where: string }[] = [];
for (const file of globSync(["src/**/*.test.ts", "test/**/*.ts"], { cwd: root })) {
  const lines = (await readFile(`${root}/${file}`, "utf8")).split("\n");
  for (const [index, line] of lines.entries()) {
    if (!/\b(?:test|it|describe)\b/.test(line) && !/^\s*["'`]/.test(line)) continue;
    for (const [, id = ""] of line.matchAll(/\[([A-Z]\d\d)\]/g)) titles.push({ id, where: `${file}:${index + 1}` });
  }
}

let missing = 0;
for (const { id, feature } of claimed) {
  const tests = titles.filter((title) => title.id === id);
  if (tests.length === 0) missing++;
  console.log(`${tests.length === 0 ? "MISSING" : "ok     "} ${id} ${feature}`);
  for (const { where } of tests) console.log(`          ${where}`);
}
const strangers = titles.filter(({ id }) => !claimed.some((row) => row.id === id));
for (const { id, where } of strangers) console.log(`unclaimed ${id} ${where}`);
console.log(`\n${claimed.length - missing} of ${claimed.length} rows have tests`);
process.exitCode = missing === 0 ? 0 : 1;
