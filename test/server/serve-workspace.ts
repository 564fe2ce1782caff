import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach } from "vitest";
import { type Workspace, openWorkspace } from "../../src/app/index.ts";
import { type Server, type ServerOptions, createServer } from "../../src/server/index.ts";
import { folderWith, writeFiles } from "../support/workspace.ts";

const opened: (() => Promise<void>)[] = [];

// Runs before the folders are removed.
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** A token with all scopes. */
export const adminToken = "admin-token-of-the-tests";
/** The same for a token that may only read. */
export const readToken = "read-token-of-the-tests";

/** A server over a workspace with these files, listening on a free port. */
export interface ServedWorkspace {
  readonly workspace: Workspace;
  readonly server: Server;
  readonly url: string;
  /** Sends a request with the token of an administrator, and returns the status, the headers and the parsed body. */
  readonly send: (method: string, path: string, request?: SentRequest) => Promise<Received>;
  readonly close: () => Promise<void>;
}

export interface SentRequest {
  readonly token?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly text: string;
}

type Files = Readonly<Record<string, string>>;

/** Serves a new workspace until the end of the test. */
export async function serveWorkspace(files: Files = {}, options: ServerOptions = {}): Promise<ServedWorkspace> {
  const served = await serveFolder(await folderWith(files), options);
  opened.push(served.close);
  return served;
}

/** Serves one new workspace for all tests of a file, from its first use on. */
export function sharedWorkspace(files: Files = {}): () => Promise<ServedWorkspace> {
  let served: Promise<ServedWorkspace> | undefined;
  const serve = async (): Promise<ServedWorkspace> => {
    const dir = await mkdtemp(join(tmpdir(), "windlass-test-"));
    await writeFiles(dir, files);
    return serveFolder(dir);
  };
  afterAll(async () => {
    const used = await served;
    if (used === undefined) return;
    await used.close();
    await rm(used.workspace.dir, { recursive: true, force: true });
  });
  return () => (served ??= serve());
}

/** Serves the workspace of a folder until it is closed. */
export async function serveFolder(dir: string, options: ServerOptions = {}): Promise<ServedWorkspace> {
  const workspace = await openWorkspace(dir, { reload: false });
  const served = await listen(workspace, options);
  const close = async (): Promise<void> => {
    await served.close();
    await workspace.close();
  };
  return { ...served, close };
}

/** Serves an open workspace with one more server until the end of the test: it has limits and failed attempts of its own. */
export async function serveAgain(
  { workspace }: Pick<ServedWorkspace, "workspace">,
  options: ServerOptions = {},
): Promise<ServedWorkspace> {
  const served = await listen(workspace, options);
  opened.push(served.close);
  return served;
}

async function listen(workspace: Workspace, options: ServerOptions): Promise<ServedWorkspace> {
  const tokens = { admin: adminToken, reader: { token: readToken, scopes: ["read"] as const } };
  const server = createServer(workspace, { tokens, ...options });
  const { url } = await server.listen(0);
  return { workspace, server, url, send: senderTo(url), close: () => server.close() };
}

/** Sends requests to a server. */
export function senderTo(url: string): ServedWorkspace["send"] {
  return async (method, path, { token = adminToken, body, headers } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text, text };
  };
}
