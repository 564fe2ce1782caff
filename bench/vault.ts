// Measures the vault: writes notes, indexes them, changes one, scans for changes, searches, and prints a table. `node
// bench/vault.ts [notes] [--check]` (default: 100,000 notes; with --check it fails if a budget is broken)
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTextIndex } from "../src/adapters/index.ts";
import { type Vault, createVault } from "../src/builtin/vault/index.ts";
import { type MadeNote, random, writeNotes } from "./vault-notes.ts";

interface Labelled {
  readonly term: string;
  readonly language: "zh" | "en";
  readonly paths: readonly string[];
}

/** A search by a user or a model: the query and its salient terms. */
type Prompt = readonly [query: string, salientTerms: readonly string[]];

/** Searches with their known results. */
interface Labels {
  readonly terms: readonly Labelled[];
  readonly prompts: Readonly<Record<string, readonly Prompt[]>>;
  readonly changed: string;
}

const rows: [what: string, figure: string, budget: string, holds: boolean, cpu?: number][] = [];
const measured = process.argv.slice(2).find((word) => word.startsWith("/"));
if (measured === undefined) makeAndMeasure();
else await measure(measured);

/** Writes the notes here and measures the vault in a separate process, whose memory is that of the vault alone. */
function makeAndMeasure(): void {
  const count = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 100_000);
  const folder = mkdtempSync(join(tmpdir(), "windlass-vault-"));
  try {
    const notes = writeNotes(join(folder, "notes"), count);
    // Sets an old modification time, because files changed a moment ago are read twice.
    for (const { path } of notes) utimesSync(join(folder, "notes", path), 1_760_000_000, 1_760_000_000);
    const changed = notes[Math.floor(count / 2)]?.path ?? "";
    const labels: Labels = { terms: labelled(notes), prompts: prompts(notes), changed };
    writeFileSync(join(folder, "labels.json"), JSON.stringify(labels));
    const check = process.argv.filter((word) => word === "--check");
    const child = spawnSync(process.execPath, [import.meta.filename, folder, ...check], { stdio: "inherit" });
    process.exitCode = child.status ?? 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measure(folder: string): Promise<void> {
  // Written by `makeAndMeasure`.
  const labels = JSON.parse(readFileSync(join(folder, "labels.json"), "utf8")) as Labels;
  const index = openTextIndex({ file: join(folder, "index.db") });
  const vault = createVault({ folder: join(folder, "notes"), index });
  await measureIndexing(vault, folder);
  await measureChanges(vault, join(folder, "notes", labels.changed), labels.changed);
  await measureRecall(vault, labels.terms);
  for (const [name, requested] of Object.entries(labels.prompts)) {
    const took: Timed<unknown>[] = [];
    for (const [query, salientTerms] of requested) {
      took.push(await timed(() => vault.search({ query, salientTerms, limit: 10 })));
    }
    ms(`search, ${name}, p95 of ${took.length}`, took, 100);
  }
  await vault.close();
  await index.close();
  const line = (...[what, ...cells]: string[]): void =>
    console.log((what ?? "").padEnd(46), ...cells.map((cell) => cell.padStart(12)));
  line("", "time", "CPU time", "budget");
  for (const [what, figure, budget, holds, cpu] of rows) {
    line(what, figure, cpu === undefined ? "" : shown(cpu), budget, holds ? "" : "too much");
  }
  if (process.argv.includes("--check") && rows.some(([, , , holds]) => !holds)) process.exitCode = 1;
}

async function measureIndexing(vault: Vault, folder: string): Promise<void> {
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 50);
  const indexing = await timed(() => vault.index());
  clearInterval(watch);
  ms(`index ${indexing.value.added} notes`, [indexing], 60_000);
  mb("  peak memory of the process", peak, 500);
  mb("  index.db", statSync(join(folder, "index.db")).size, 500);
}

async function measureChanges(vault: Vault, file: string, path: string): Promise<void> {
  const took: Timed<unknown>[] = [];
  for (let turn = 0; turn < 50; turn++) {
    appendFileSync(file, `\nturn${turn} 变更${turn}\n`);
    took.push(await timed(() => vault.index({ paths: [path] })));
  }
  ms(`index one changed note, p95 of ${took.length}`, took, 50);
  ms("scan all notes for changes", [await timed(() => vault.index())], 5000);
}

async function measureRecall(vault: Vault, terms: readonly Labelled[]): Promise<void> {
  const took: Timed<unknown>[] = [];
  const counts = { zh: { found: 0, expected: 0, terms: 0 }, en: { found: 0, expected: 0, terms: 0 } };
  for (const { term, language, paths } of terms) {
    const searching = await timed(() => vault.search({ query: term, limit: 200 }));
    took.push(searching);
    const found = new Set(searching.value.documents.map((document) => document.path));
    const count = counts[language];
    count.found += paths.filter((path) => found.has(path)).length;
    count.expected += paths.length;
    count.terms++;
  }
  for (const [language, { found, expected, terms: searched }] of Object.entries(counts)) {
    const share = found / expected;
    const what = `recall, ${searched} exact terms, ${language} (${expected} notes)`;
    rows.push([what, share.toFixed(4), ">= 0.99", share >= 0.99]);
  }
  ms(`search, exact terms, p95 of ${took.length} (200 hits)`, took, 100);
}

/** Returns terms that occur in at most 150 notes, with the paths of these notes, found by scanning all texts. */
function labelled(notes: readonly MadeNote[]): Labelled[] {
  const next = random(11);
  const found: Labelled[] = [];
  for (let tries = 0; found.length < 200 && tries < 2000; tries++) {
    const { text } = notes[Math.floor(next() * notes.length)] ?? { text: "" };
    const language = found.length % 2 === 0 ? "zh" : "en";
    const words = text.match(language === "zh" ? /\p{Script=Han}{4,}/gu : /\b[a-z]{6,}\b/g) ?? [];
    const word = words[Math.floor(next() * words.length)];
    if (word === undefined) continue;
    const at = Math.floor(next() * (word.length - 3));
    const term = language === "zh" ? word.slice(at, at + 2 + (found.length % 3)) : word;
    const paths = having(notes, term, language);
    if (paths.length <= 150) found.push({ term, language, paths });
  }
  return found;
}

function having(notes: readonly MadeNote[], term: string, language: "zh" | "en"): string[] {
  const pattern = new RegExp(`\\b${term}\\b`);
  const fits = ({ text }: MadeNote): boolean => text.includes(term) && (language === "zh" || pattern.test(text));
  return notes.filter(fits).map(({ path }) => path);
}

function prompts(notes: readonly MadeNote[]): Record<string, Prompt[]> {
  const next = random(13);
  const sentence = (): string => {
    const { text } = notes[Math.floor(next() * notes.length)] ?? { text: "" };
    const lines = text.split("\n").filter((line) => line.length > 40 && !line.startsWith("#"));
    return lines[Math.floor(next() * lines.length)]?.slice(0, 40) ?? "text";
  };
  const words = (): string[] =>
    sentence()
      .split(/[ 。.]+/)
      .filter((word) => word !== "");
  const many = (make: () => Prompt): Prompt[] => Array.from({ length: 200 }, make);
  return {
    "part of a sentence": many(() => [sentence(), []]),
    "two words": many(() => [words().slice(0, 2).join(" "), []]),
    "one character": many(() => ["数据库系统文件网络安全管理"[Math.floor(next() * 13)] ?? "数", []]),
    "with salient terms": many(() => {
      const [first = "", ...others] = words();
      return [first, others.slice(0, 4)];
    }),
  };
}

interface Timed<T> {
  readonly value: T;
  readonly ms: number;
  /** CPU time of all threads; unlike elapsed time it does not grow if other processes are busy. */
  readonly cpuMs: number;
}

async function timed<T>(work: () => Promise<T>): Promise<Timed<T>> {
  const cpu = process.cpuUsage();
  const begin = performance.now();
  const value = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { value, ms: performance.now() - begin, cpuMs: (user + system) / 1000 };
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}

/** Adds the 95th percentile of the times as a row. */
function ms(what: string, times: readonly Timed<unknown>[], budget: number): void {
  const figure = percentile(
    times.map((time) => time.ms),
    0.95,
  );
  const cpu = percentile(
    times.map((time) => time.cpuMs),
    0.95,
  );
  rows.push([what, shown(figure), `< ${budget} ms`, figure < budget, cpu]);
}

function shown(figure: number): string {
  return `${figure.toFixed(figure < 100 ? 1 : 0)} ms`;
}

function mb(what: string, bytes: number, budget: number): void {
  const figure = bytes / 1024 / 1024;
  rows.push([what, `${figure.toFixed(0)} MB`, budget === Infinity ? "" : `< ${budget} MB`, figure < budget]);
}
