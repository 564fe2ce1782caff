import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { type InstalledPackage, installPackage } from "../test/package/install-package.ts";
import { type StartEntry, startEntries } from "./catalog.ts";
import { packageVersion } from "./package-version.ts";
import type { Plan } from "./plan.ts";
import { reasonOf } from "./reason.ts";
import type { StartRow } from "./results.ts";
import { type Started, startToEnd, startUntil } from "./start-process.ts";
import { ratioOf, spreadOf } from "./statistics.ts";
import { subjectKind } from "./subject.ts";

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
  customer: string="a customer"
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

/**
 * Starts processes in turn and measures their CPU time and their elapsed time. Windlass is the packed package, installed
 * into an empty project.
 */
export async function startSuite(plan: Plan, skip: Skip): Promise<StartRow[]> {
  if (subjectKind === "source") throw new Error("the package is not built; run: npm run build");
  const project = installPackage();
  try {
    project.write({ "windlass.yaml": "", "tools/http_request.yaml": toolFile, "chains/order.yaml": chainFile });
    const runs: Run[] = [];
    for (const entry of startEntries) runs.push(...(await prepare(entry, project, skip)));
    for (let round = 0; round < plan.starts; round++) {
      for (const run of runs) {
        if (run.entry.kind !== "peer" || round < plan.slowStarts) run.started.push(await start(run, project.dir));
      }
    }
    return rowsOf(runs, distBytes(project));
  } finally {
    project.remove();
  }
}

function distBytes({ packageDir }: InstalledPackage): number {
  const cwd = join(packageDir, "dist");
  const files = globSync("**", { cwd, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

type Skip = (id: string, why: string) => void;

interface Run {
  readonly entry: StartEntry;
  readonly args: readonly string[];
  readonly started: Started[];
}

/** Starts the process once without counting: this proves that it works, and fills the disk caches. */
async function prepare(entry: StartEntry, project: InstalledPackage, skip: Skip): Promise<Run[]> {
  try {
    const run = { entry, args: argsOf(entry, project), started: [] };
    await start(run, project.dir);
    return [run];
  } catch (error) {
    skip(entry.id, reasonOf(error));
    return [];
  }
}

function argsOf({ id, cli, imports, package: name }: StartEntry, project: InstalledPackage): string[] {
  if (cli !== undefined) return [join(project.packageDir, "dist/bin.js"), ...cli];
  if (name !== undefined && packageVersion(name).version === undefined) {
    throw new Error(`${name} is not installed; run: npm ci --prefix bench`);
  }
  const file = `import-${id.replaceAll(/\W/g, "-")}.mjs`;
  project.write({
    [file]: (imports ?? []).map((module) => `import ${JSON.stringify(addressOf(module))};\n`).join(""),
  });
  return [file];
}

/** Peers are installed in this folder, Windlass in the project. */
function addressOf(name: string): string {
  return name === "windlass" || name.startsWith("windlass/") ? name : import.meta.resolve(name);
}

function start({ entry, args }: Run, cwd: string): Promise<Started> | Started {
  return entry.until === undefined ? startToEnd(args, cwd) : startUntil(args, cwd, entry.until);
}

function rowsOf(runs: readonly Run[], bytes: number): StartRow[] {
  const wall = (run: Run | undefined): number[] => (run?.started ?? []).map(({ wallMs }) => wallMs);
  const cpu = (run: Run | undefined): number[] => (run?.started ?? []).flatMap(({ cpuMs }) => cpuMs ?? []);
  return runs.map((run) => ({
    id: run.entry.id,
    ...packageVersion(run.entry.package),
    ...(cpu(run).length > 0 && { cpuMs: spreadOf(cpu(run)), cpuRatio: ratioOf(cpu(run), cpu(runs[0])) }),
    wallMs: spreadOf(wall(run)),
    wallRatio: ratioOf(wall(run), wall(runs[0])),
    ...(run.entry.id === "windlass" && { distMb: bytes / 1e6 }),
  }));
}
