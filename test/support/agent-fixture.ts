import { join } from "node:path";
import { afterEach } from "vitest";
import { openSqlite, openTextIndex } from "../../src/adapters/index.ts";
import { AgentRuns, type AgentSpec, type Runner, agentDefaults, findRunner } from "../../src/agent/index.ts";
import { builtinTools, createVault } from "../../src/builtin/index.ts";
import { type Engine, type EngineOptions, createEngine } from "../../src/engine/index.ts";
import { createFileAccess } from "../../src/file/index.ts";
import type { Model } from "../../src/model/index.ts";
import { createHttpClient } from "../../src/net/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import type { AnyTool } from "../../src/tool/index.ts";
import { type LoopbackSite, allNamesLeadTo, loopbackSite } from "./loopback-site.ts";
import { folderWith } from "./workspace.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Environment of an agent: a folder of notes and files with a real index, and a web of one host. */
export interface AgentWorld {
  readonly engine: Engine;
  readonly folder: string;
  readonly site: LoopbackSite;
}

/** Options of a world. */
export interface WorldOptions extends Pick<EngineOptions, "permissions" | "clock"> {
  /** Files of the folder: the workspace of the file tools, and the vault. */
  readonly files?: Readonly<Record<string, string>>;
  /** Pages of `http://example.com`, by path. */
  readonly pages?: Readonly<Record<string, string>>;
  /** A corpus that `web_search` finds pages in. */
  readonly corpus?: Readonly<Record<string, string>>;
  /** Further tools. */
  readonly tools?: readonly AnyTool[];
}

/** Opens a world with all built-in tools; it is removed after the test. */
export async function agentWorld(options: WorldOptions = {}): Promise<AgentWorld> {
  const { files = {}, pages = {}, corpus = {}, tools = [], ...engineOptions } = options;
  const folder = await folderWith(files);
  const site = await loopbackSite((request, response) => {
    const page = pages[request.url ?? ""];
    if (page === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
  });
  const http = createHttpClient(allNamesLeadTo(site, ["example.com"]));
  const index = openTextIndex({ file: join(await folderWith({}), "index.db") });
  const { clock } = engineOptions;
  const vault = createVault({ folder, index, timezone: "UTC", ...(clock && { clock }) });
  const builtins = builtinTools({
    http,
    vault,
    files: createFileAccess({ roots: [{ path: folder, write: true }] }),
    searchFile: { corpus: await folderWith(corpus) },
    ...(clock && { clock }),
    timezone: "UTC",
  });
  const engine = createEngine({ ...engineOptions, tools: [...builtins, ...tools], limits: { maxRetries: 0 } });
  closing.push(
    () => site.close(),
    () => http.close(),
    () => index.close(),
    () => vault.close(),
    () => engine.close(),
  );
  return { engine, folder, site };
}

/** Runs of agents over one SQLite file, as a new process would open them. */
export async function runsOver(
  file: string,
  { engine, model, runner }: { readonly engine: Engine; readonly model?: Model; readonly runner?: Runner },
): Promise<{ readonly runs: AgentRuns; readonly close: () => Promise<void> }> {
  const store = await openSqlite({ file, redactor: createRedactor([]) });
  const runs = new AgentRuns({
    engine,
    journal: store.runs,
    approvals: store.approvals,
    runner: (name) => (runner?.name === name ? runner : findRunner(name)),
    model: () => model,
  });
  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    await runs.close();
    await store.close();
  };
  closing.push(close);
  return { runs, close };
}

/** A spec with default values. */
export function specOf(runner: string, more: Partial<AgentSpec> = {}): AgentSpec {
  return { ...agentDefaults, ...more, runner };
}
