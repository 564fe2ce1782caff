import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type StartEntry, startEntries } from "./catalog.ts";
import { packageVersion } from "./package-version.ts";
import type { Plan } from "./plan.ts";
import { reasonOf } from "./reason.ts";
import type { StartRow } from "./results.ts";
import { type Started, startToEnd, startUntil } from "./start-process.ts";
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

const chainFile = `name: order
description: Works out what an order costs and says it.
input:
  count: number=12
  price: number=3
  customer: string="somebody"
steps:
  - id: goods
    tool: calculator
    params: { expression: "\${input.count} * \${input.price}" }
    output: { as: goods, select: $.result }
  - id: discount
    tool: calculator
    condition: "\${input.count >= 10}"
    params: { expression: "\${context.goods} * 0.05" }
  - id: freight
    tool: calculator
    params: { expression: "4.5 + \${input.count} * 0.1" }
    retry: { max: 2, delay: 1 }
  - id: total
    tool: calculator
    params: { expression: "\${context.goods} - \${steps.discount.output.result ?? 0} + \${steps.freight.output.result}" }
    error_handling: { strategy: fallback, fallback: [{ tool: echo, params: { message: "\${context.goods}" } }] }
  - id: say
    tool: echo
    params: { message: "\${input.customer}: \${input.count} pieces, \${steps.total.output.result}" }
output:
  text: "\${steps.say.output.message}"
  total: "\${steps.total.output.result}"
`;

/** Starts processes in turn and takes the CPU time they used, and the time that passed. */
export async function startSuite(plan: Plan, skip: Skip): Promise<StartRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "windlass-bench-"));
  try {
    mkdirSync(join(folder, "tools"));
    writeFileSync(join(folder, "windlass.yaml"), "");
    writeFileSync(join(folder, "tools", "http_request.yaml"), toolFile);
    mkdirSync(join(folder, "chains"));
    writeFileSync(join(folder, "chains", "order.yaml"), chainFile);
    const runs: Run[] = [];
    for (const entry of startEntries) runs.push(...(await prepare(entry, folder, skip)));
    for (let round = 0; round < plan.starts; round++) {
      for (const run of runs) {
        if (run.entry.kind !== "peer" || round < plan.slowStarts) run.started.push(await start(run, folder));
      }
    }
    return rowsOf(runs);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Skip = (id: string, why: string) => void;

interface Run {
  readonly entry: StartEntry;
  readonly args: readonly string[];
  readonly started: Started[];
}

/** One start that is not counted: it shows that the process works, and fills the caches of the disk. */
async function prepare(entry: StartEntry, folder: string, skip: Skip): Promise<Run[]> {
  try {
    const run = { entry, args: argsOf(entry, folder), started: [] };
    await start(run, folder);
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

function start({ entry, args }: Run, cwd: string): Promise<Started> | Started {
  return entry.until === undefined ? startToEnd(args, cwd) : startUntil(args, cwd, entry.until);
}

function rowsOf(runs: readonly Run[]): StartRow[] {
  const wall = (run: Run | undefined): number[] => (run?.started ?? []).map(({ wallMs }) => wallMs);
  const cpu = (run: Run | undefined): number[] => (run?.started ?? []).flatMap(({ cpuMs }) => cpuMs ?? []);
  return runs.map((run) => ({
    id: run.entry.id,
    ...packageVersion(run.entry.package),
    ...(cpu(run).length > 0 && { cpuMs: spreadOf(cpu(run)), cpuRatio: ratioOf(cpu(run), cpu(runs[0])) }),
    wallMs: spreadOf(wall(run)),
    wallRatio: ratioOf(wall(run), wall(runs[0])),
  }));
}
