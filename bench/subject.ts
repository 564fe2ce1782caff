import { existsSync, globSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { createAgent } from "../src/agent/index.ts";
import type { openWorkspace } from "../src/app/index.ts";
import type { Clock } from "../src/base/index.ts";
import type { ChainLibrary, ChainRuns, loadPlan, runChain } from "../src/chain/index.ts";
import type { createServer } from "../src/server/index.ts";
import type { ConcurrencyOptions, Scheduler, createEngine } from "../src/engine/index.ts";
import type { defineTool } from "../src/tool/index.ts";

/** The part of Windlass that the benchmarks use. */
export interface Subject {
  readonly defineTool: typeof defineTool;
  readonly createEngine: typeof createEngine;
  readonly openWorkspace: typeof openWorkspace;
}

/** The part of `windlass/chain` that the benchmarks use. */
export interface ChainSubject {
  readonly loadPlan: typeof loadPlan;
  readonly runChain: typeof runChain;
  readonly ChainLibrary: typeof ChainLibrary;
  readonly ChainRuns: typeof ChainRuns;
}

/** The part of `windlass/agent` that the benchmarks use. */
export interface AgentSubject {
  readonly createAgent: typeof createAgent;
}

/** The part of `windlass/server` that the benchmarks use. */
export interface ServerSubject {
  readonly createServer: typeof createServer;
}

/** The measured Windlass: the bundle that users get, or the source if nothing is built. */
export type SubjectKind = "bundle" | "source";

const bundle = new URL("../dist/index.js", import.meta.url);
const chainBundle = new URL("../dist/chain.js", import.meta.url);
const serverBundle = new URL("../dist/server.js", import.meta.url);
const agentBundle = new URL("../dist/agent.js", import.meta.url);

/** Written last: an incomplete build does not have this file. */
const finished = new URL("../dist/bin.js", import.meta.url);

export const subjectKind: SubjectKind = existsSync(finished) ? "bundle" : "source";

/** The entry point that `import "windlass"` loads. */
export const subjectEntry: URL = subjectKind === "bundle" ? bundle : new URL("../src/index.ts", import.meta.url);

/** True if the source was changed after the bundle was built. */
export function isStale(): boolean {
  if (subjectKind === "source") return false;
  const built = statSync(bundle).mtimeMs;
  const cwd = fileURLToPath(new URL("../src", import.meta.url));
  return globSync("**/*.ts", { cwd }).some((file) => statSync(`${cwd}/${file}`).mtimeMs > built);
}

export async function loadSubject(): Promise<Subject> {
  if (subjectKind === "bundle") return (await import(bundle.href)) as Subject;
  const [tool, engine, app] = await Promise.all([
    import("../src/tool/index.ts"),
    import("../src/engine/index.ts"),
    import("../src/app/index.ts"),
  ]);
  return { defineTool: tool.defineTool, createEngine: engine.createEngine, openWorkspace: app.openWorkspace };
}

export async function loadChains(): Promise<ChainSubject> {
  if (subjectKind === "bundle") return (await import(chainBundle.href)) as ChainSubject;
  return import("../src/chain/index.ts");
}

export async function loadAgents(): Promise<AgentSubject> {
  if (subjectKind === "bundle") return (await import(agentBundle.href)) as AgentSubject;
  return import("../src/agent/index.ts");
}

export async function loadServer(): Promise<ServerSubject> {
  if (subjectKind === "bundle") return (await import(serverBundle.href)) as ServerSubject;
  return import("../src/server/index.ts");
}

/** The scheduler is not exported publicly, so it is always loaded from the source. */
export async function loadScheduler(options: ConcurrencyOptions): Promise<Scheduler> {
  const [base, engine] = await Promise.all([import("../src/base/index.ts"), import("../src/engine/index.ts")]);
  const clock: Clock = base.systemClock;
  return new engine.Scheduler(options, clock, new base.Deadlines(clock));
}
