/**
 * Enforces the glossary (docs/words.md): banned words are errors, and the number of warnings may only decrease.
 * `npm run words -- --update` lowers the baseline; `npm run words -- PATH…` lists every finding of these files or folders.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import allowedUses from "./words/allowed.json" with { type: "json" };
import baseline from "./words/baseline.json" with { type: "json" };
import { compareBaseline } from "./words/compare-baseline.ts";
import { type Finding, findWords } from "./words/find-words.ts";

interface AllowedUse {
  readonly rule: string;
  /** A file, a folder with a slash at its end, or `*`. */
  readonly file: string;
  /** The name, a text that contains the word, or `*`. */
  readonly text: string;
}

const allowed: readonly AllowedUse[] = allowedUses;
const args = process.argv.slice(2);
const paths = args.filter((word) => !word.startsWith("--"));
const checkedFolders = ["src", "test", "docs", "scripts", "examples", "bench"];
const everything = [...checkedFolders.map((folder) => `${folder}/**/*`), "*.{ts,md}"];
// Texts of other authors, samples of bad words, and recorded output.
const excluded = /(?:^|\/)__snapshots__\/|^test\/(?:data|fixtures)\//;

function filesOf(patterns: readonly string[]): string[] {
  return globSync([...patterns], { withFileTypes: true, exclude: ({ name }) => name === "node_modules" })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(".", join(parentPath, name)))
    .toSorted();
}

const files =
  paths.length > 0
    ? filesOf(paths.flatMap((path) => [path, `${path}/**/*`]))
    : filesOf(everything).filter((file) => !excluded.test(file));

interface Located extends Finding {
  readonly file: string;
}

/**
 * Entries of `allowed.json` for a finding: the word as a command, a rule, a term of another project, a text for a model,
 * or an example of user input.
 */
function allowancesFor({ file, rule, excerpt, at }: Located): AllowedUse[] {
  const isName = rule.id.endsWith("-name");
  return allowed.filter(
    (entry) =>
      (entry.rule === "*" || entry.rule === rule.id) &&
      (entry.file === "*" || file === entry.file || (entry.file.endsWith("/") && file.startsWith(entry.file))) &&
      (entry.text === "*" || (isName ? entry.text === excerpt : covers(entry.text, excerpt, at))),
  );
}

/** True if the text occurs in the excerpt and contains the word at this offset. */
function covers(text: string, excerpt: string, at: number): boolean {
  const start = excerpt.lastIndexOf(text, at);
  return start !== -1 && at < start + text.length;
}

const used = new Set<AllowedUse>();
const found = files
  .flatMap((file) => findWords(file, readFileSync(file, "utf8")).map((finding) => ({ ...finding, file })))
  .filter((finding) => {
    const allowances = allowancesFor(finding);
    for (const entry of allowances) used.add(entry);
    return allowances.length === 0;
  });
const errors = found.filter(({ rule }) => rule.level === "error");
const warnings = found.filter(({ rule }) => rule.level === "warning");
for (const { file, line, rule, excerpt } of paths.length > 0 || args.includes("--all") ? found : errors)
  console.log(`${line === 0 ? file : `${file}:${line}`} ${rule.id}: "${excerpt}"; use: ${rule.use}`);

let hasFailed = errors.length > 0;
// The baseline and the list of allowed uses are for all files.
if (paths.length === 0) {
  const counts = Object.fromEntries(
    Map.groupBy(warnings, ({ rule }) => rule.id)
      .entries()
      .map(([rule, { length }]) => [rule, length]),
  );
  const { grown, fallen, lowered } = compareBaseline(counts, baseline);
  const isUpdate = args.includes("--update");
  if (isUpdate)
    writeFileSync(new URL("words/baseline.json", import.meta.url), `${JSON.stringify(lowered, undefined, 2)}\n`);
  const unused = allowed
    .filter((entry) => !used.has(entry))
    .map((entry) => `scripts/words/allowed.json: ${JSON.stringify(entry)} allows nothing; remove it`);
  const messages = [...unused, ...grown, ...(isUpdate ? [] : fallen)];
  for (const message of messages) console.log(message);
  hasFailed ||= messages.length > 0;
}
console.log(`${files.length} files, ${errors.length} errors, ${warnings.length} warnings`);
process.exitCode = hasFailed ? 1 : 0;
