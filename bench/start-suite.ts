import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type StartEntry, startEntries } from "./catalog.ts";
import { packageVersion } from "./package-version.ts";
import type { Plan } from "./plan.ts";
import { reasonOf } from "./reason.ts";
import type { StartRow } from "./results.ts";
import { ratioOf, spreadOf } from "./statistics.ts";
import { subjectEntry } from "./subject.ts";

const toolFile = `name: http_request
version: "1.0.0"
description: Sends an HTTP request and gives the response.
category: http
tags: [network, api]
parameters:
  - name: url
    type: string
    required: true
    description: The address.
    validation: { pattern: "^https?://" }
  - name: method
    type: string
    default: GET
    description: The method.
    validation: { enum: [GET, POST, PUT, DELETE, PATCH] }
  - name: timeout
    type: number
    default: 30
    description: Seconds to wait.
    validation: { min: 1, max: 300 }
entry:
  type: builtin
  handler: http_request
`;

interface Started {
  readonly cpuMs: number | undefined;
  readonly wallMs: number;
}

/** Starts processes in turn and takes the CPU time they used, and the time that passed. */
export function startSuite(plan: Plan, skip: (id: string, why: string) => void): StartRow[] {
  const folder = mkdtempSync(join(tmpdir(), "windlass-bench-"));
  try {
    mkdirSync(join(folder, "tools"));
    writeFileSync(join(folder, "windlass.yaml"), "");
    writeFileSync(join(folder, "tools", "http_request.yaml"), toolFile);
    const runs = startEntries.flatMap((entry) => prepare(entry, folder, skip));
    for (let round = 0; round < plan.starts; round++) {
      for (const run of runs) {
        if (run.entry.kind !== "peer" || round < plan.slowStarts) run.started.push(start(run.args, folder));
      }
    }
    return rowsOf(runs);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Run {
  readonly entry: StartEntry;
  readonly args: readonly string[];
  readonly started: Started[];
}

/** One start that is not counted: it shows that the process works, and fills the caches of the disk. */
function prepare(entry: StartEntry, folder: string, skip: (id: string, why: string) => void): Run[] {
  try {
    const run = { entry, args: argsOf(entry, folder), started: [] };
    start(run.args, folder);
    return [run];
  } catch (error) {
    skip(entry.id, reasonOf(error));
    return [];
  }
}

function argsOf({ id, cli, imports, package: name }: StartEntry, folder: string): string[] {
  if (cli !== undefined) return [cliFile(), ...cli];
  if (name !== undefined && packageVersion(name).version === undefined) {
    throw new Error(`${name} is not installed; run: npm ci --prefix bench`);
  }
  const file = join(folder, `${id.replaceAll(/\W/g, "-")}.mjs`);
  writeFileSync(file, imports === undefined ? "" : `import ${JSON.stringify(addressOf(imports))};\n`);
  return [file];
}

function addressOf(name: string): string {
  return name === "windlass" ? subjectEntry.href : import.meta.resolve(name);
}

function cliFile(): string {
  const root = new URL("../", import.meta.url);
  const { bin } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as { bin: { windlass: string } };
  const file = fileURLToPath(new URL(bin.windlass, root));
  if (!existsSync(file)) throw new Error(`${bin.windlass} is not built; run: npm run build`);
  return file;
}

const bash = spawnSync("bash", ["-c", "true"]).status === 0;

function start(args: readonly string[], cwd: string): Started {
  const begin = performance.now();
  // Node cannot ask for the CPU time of a child that has ended; the shell can.
  const { status, stderr } = bash
    ? spawnSync("bash", ["-c", `TIMEFORMAT="%R %U %S"; time "$@" >&2`, "bash", process.execPath, ...args], { cwd })
    : spawnSync(process.execPath, args, { cwd });
  const wallMs = performance.now() - begin;
  const text = stderr.toString();
  if (status !== 0) throw new Error(`it ended with code ${status}: ${text.trim()}`);
  if (!bash) return { cpuMs: undefined, wallMs };
  const [real = Number.NaN, user = Number.NaN, system = Number.NaN] = (text.trim().split("\n").at(-1) ?? "")
    .split(" ")
    .map((seconds) => Number(seconds.replace(",", ".")) * 1000);
  return { cpuMs: user + system, wallMs: real };
}

function rowsOf(runs: readonly Run[]): StartRow[] {
  const wall = (run: Run | undefined): number[] => (run?.started ?? []).map(({ wallMs }) => wallMs);
  const cpu = (run: Run | undefined): number[] => (run?.started ?? []).flatMap(({ cpuMs }) => cpuMs ?? []);
  return runs.map((run) => ({
    id: run.entry.id,
    ...packageVersion(run.entry.package),
    ...(bash && { cpuMs: spreadOf(cpu(run)), cpuRatio: ratioOf(cpu(run), cpu(runs[0])) }),
    wallMs: spreadOf(wall(run)),
    wallRatio: ratioOf(wall(run), wall(runs[0])),
  }));
}
