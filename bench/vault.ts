// How fast is the vault? Writes notes, indexes them, changes one, looks for changes, searches; prints a table.
// `node bench/vault.ts [notes] [--check]` (100,000 notes; with --check it fails when a budget does not hold)
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

/** What people and models ask: the question and its salient terms. */
type Question = readonly [query: string, salientTerms: readonly string[]];

/** What is asked of the notes, and what is known of the answers. */
interface Labels {
  readonly terms: readonly Labelled[];
  readonly questions: Readonly<Record<string, readonly Question[]>>;
  readonly changed: string;
}

const rows: [what: string, figure: string, budget: string, holds: boolean, cpu?: number][] = [];
const measured = process.argv.slice(2).find((word) => word.startsWith("/"));
if (measured === undefined) makeAndMeasure();
else await measure(measured);

/** The notes are made here and measured in a process of its own: its memory is that of the vault alone. */
function makeAndMeasure(): void {
  const count = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 100_000);
  const folder = mkdtempSync(join(tmpdir(), "windlass-vault-"));
  try {
    const notes = writeNotes(join(folder, "notes"), count);
    // As old as notes are: what changed a moment ago is looked at twice.
    for (const { path } of notes) utimesSync(join(folder, "notes", path), 1_760_000_000, 1_760_000_000);
    const changed = notes[Math.floor(count / 2)]?.path ?? "";
    const labels: Labels = { terms: labelled(notes), questions: questions(notes), changed };
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
  for (const [name, asked] of Object.entries(labels.questions)) {
    const took: Timed<unknown>[] = [];
    for (const [query, salientTerms] of asked) {
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
  mb("  memory of the process meanwhile", peak, 500);
  mb("  index.db", statSync(join(folder, "index.db")).size, 500);
}

async function measureChanges(vault: Vault, file: string, path: string): Promise<void> {
  const took: Timed<unknown>[] = [];
  for (let turn = 0; turn < 50; turn++) {
    appendFileSync(file, `\nturn${turn} 变更${turn}\n`);
    took.push(await timed(() => vault.index({ paths: [path] })));
  }
  ms(`index one changed note, p95 of ${took.length}`, took, 50);
  ms("look through all notes for changes", [await timed(() => vault.index())], 5000);
}

async function measureRecall(vault: Vault, terms: readonly Labelled[]): Promise<void> {
  const took: Timed<unknown>[] = [];
  const counts = { zh: { found: 0, wanted: 0, terms: 0 }, en: { found: 0, wanted: 0, terms: 0 } };
  for (const { term, language, paths } of terms) {
    const searching = await timed(() => vault.search({ query: term, limit: 200 }));
    took.push(searching);
    const found = new Set(searching.value.documents.map((document) => document.path));
    const count = counts[language];
    count.found += paths.filter((path) => found.has(path)).length;
    count.wanted += paths.length;
    count.terms++;
  }
  for (const [language, { found, wanted, terms: asked }] of Object.entries(counts)) {
    const share = found / wanted;
    const what = `recall, ${asked} exact terms, ${language} (${wanted} notes)`;
    rows.push([what, share.toFixed(4), ">= 0.99", share >= 0.99]);
  }
  ms(`search, exact terms, p95 of ${took.length} (200 hits)`, took, 100);
}

/** Terms that stand in at most 150 notes, and in which: found by reading all texts. */
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

function questions(notes: readonly MadeNote[]): Record<string, Question[]> {
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
  const many = (make: () => Question): Question[] => Array.from({ length: 200 }, make);
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
  /** Of all threads; unlike the other it does not grow when the machine is busy with something else. */
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

/** The 95th percentile of what was timed, of one its time. */
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
