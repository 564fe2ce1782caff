import { createHmac } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, vi } from "vitest";
import { type Workspace, type WorkspaceOptions, openWorkspace } from "../../src/app/index.ts";
import { type Clock, systemClock } from "../../src/base/index.ts";
import { type ServerOptions, createServer } from "../../src/server/index.ts";
import type { StoredRun } from "../../src/store/index.ts";
import { folderWith } from "../support/workspace.ts";

const toolIndex = new URL("../../src/tool/index.ts", import.meta.url).href;

/** A wall clock that a test sets. Its timers are short and real, so that a server reads it all the time. */
export class WallClock implements Clock {
  time: number;
  /** Timers that were started: a server starts one after each round. */
  rounds = 0;

  constructor(time: string) {
    this.time = Date.parse(time);
  }

  set(time: string): void {
    this.time = Date.parse(time);
  }

  now(): number {
    return this.time;
  }

  elapsed(): number {
    return systemClock.elapsed();
  }

  after(ms: number, task: () => void): ReturnType<Clock["after"]> {
    this.rounds++;
    return systemClock.after(Math.min(ms, 20), task);
  }
}

/** A token with all scopes. */
export const token = "token-of-the-trigger-tests";

/** The secret of the webhooks of the tests, as Standard Webhooks write it. */
export const hookSecret = "whsec_c2VjcmV0LW9mLXRoZS10cmlnZ2VyLXRlc3Rz";

/** A workspace with a tool that notes each of its calls in a file, and that may be slow. */
export const baseFiles: Readonly<Record<string, string>> = {
  "windlass.yaml": "secrets: { HOOK: { file: hook.txt } }\n",
  "hook.txt": hookSecret,
  "tools/note.ts": `import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { defineTool } from ${JSON.stringify(toolIndex)};
const dir = join(import.meta.dirname, "..");
export const note = defineTool({
  name: "note", description: "Notes a text.", effect: "once", destructive: false,
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  run: async ({ text }, { signal }) => {
    while (existsSync(join(dir, "hold"))) await setTimeout(10, undefined, { signal });
    appendFileSync(join(dir, "notes.txt"), text + "\\n");
    return { noted: text };
  },
});
export const wipe = defineTool({
  name: "wipe", description: "Removes all.", effect: "once", destructive: true,
  input: { type: "object", properties: { text: { type: "string" } } },
  run: ({ text }) => ({ wiped: text ?? "" }),
});
`,
};

/** A chain that notes its input. */
export function noteChain(name: string, triggers: string): string {
  return `name: ${name}
input: { text: "string = 'none'" }
on:
${triggers}
steps:
  - { id: note, tool: note, params: { text: "\${input.text}" } }
output: "\${steps.note.output.noted}"
`;
}

vi.setConfig({ testTimeout: 120_000 });

const closing: (() => Promise<void>)[] = [];
// Runs before the folders are removed.
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A folder with these files besides those of every test. */
export function triggerFolder(files: Readonly<Record<string, string>>): Promise<string> {
  return folderWith({ ...baseFiles, ...files });
}

/** A server on a workspace, with its clock. */
export interface TriggerServer {
  readonly workspace: Workspace;
  readonly url: string;
  readonly clock: WallClock;
  readonly close: () => Promise<void>;
}

export async function serveTriggersIn(
  dir: string,
  clock: WallClock,
  options: ServerOptions & Pick<WorkspaceOptions, "trust" | "env" | "reload"> = {},
): Promise<TriggerServer> {
  const { trust, env, reload = false, ...more } = options;
  const how = { clock, reload, ...(trust !== undefined && { trust }), ...(env !== undefined && { env }) };
  const workspace = await openWorkspace(dir, how);
  const server = createServer(workspace, { tokens: { admin: token }, ...more });
  const { url } = await server.listen(0);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= server.close().then(() => workspace.close()));
  closing.push(close);
  return { workspace, url, clock, close };
}

/** Waits until every server has read the clock several times. */
export async function rounds(...servers: readonly TriggerServer[]): Promise<void> {
  for (const clock of new Set(servers.map((server) => server.clock))) {
    const sharing = servers.filter((server) => server.clock === clock).length;
    const until = clock.rounds + 4 * sharing;
    await vi.waitFor(() => (clock.rounds >= until ? undefined : Promise.reject(new Error("no round"))), 60_000);
  }
}

/** Waits until no run of the workspace is unfinished, and returns all, the oldest first. */
export async function endedRuns({ workspace }: TriggerServer, count: number): Promise<readonly StoredRun[]> {
  return vi.waitFor(async () => {
    const runs = await workspace.runs.list();
    const ended = runs.filter(({ status }) => status !== "running" && status !== "waiting");
    if (ended.length !== count || runs.length !== count)
      throw new Error(`${ended.length} of ${runs.length} runs have ended, not ${count}`);
    return runs.toReversed();
  }, 60_000);
}

/** The texts that the tool noted, in order. */
export async function notes(dir: string): Promise<readonly string[]> {
  const text = await readFile(join(dir, "notes.txt"), "utf8").catch(() => "");
  return text.split("\n").slice(0, -1);
}

export async function put(dir: string, file: string, text: string): Promise<void> {
  await mkdir(dirname(join(dir, file)), { recursive: true });
  await writeFile(join(dir, file), text);
}

/** A delivery of Standard Webhooks. */
export interface SentHook {
  readonly id?: string;
  readonly at?: number;
  readonly body?: string;
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

let deliveries = 0;

export async function sendHook(
  { url, clock }: TriggerServer,
  name: string,
  {
    id = `msg_of_test_${++deliveries}`,
    at = clock.now(),
    body = '{"text":"hi"}',
    secret = hookSecret,
    headers,
  }: SentHook = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly body: Readonly<Record<string, unknown>> }> {
  const time = String(Math.floor(at / 1_000));
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
  const response = await fetch(`${url}/hooks/${name}`, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": time,
      "webhook-signature": `v1,${signature}`,
      ...headers,
    },
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}
