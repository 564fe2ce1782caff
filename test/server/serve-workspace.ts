import { afterEach } from "vitest";
import { type Workspace, openWorkspace } from "../../src/app/index.ts";
import { type Server, type ServerOptions, createServer } from "../../src/server/index.ts";
import { folderWith } from "../support/workspace.ts";

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

export async function serveWorkspace(
  files: Readonly<Record<string, string>> = {},
  options: ServerOptions = {},
): Promise<ServedWorkspace> {
  const { served, close } = await openServed(await folderWith(files), options);
  opened.push(close);
  return served;
}

/** A server over the workspace in a folder, for several tests: close it after them. */
export async function openServed(
  dir: string,
  options: ServerOptions,
): Promise<{ readonly served: ServedWorkspace; readonly close: () => Promise<void> }> {
  const workspace = await openWorkspace(dir, { reload: false });
  const tokens = { admin: adminToken, reader: { token: readToken, scopes: ["read"] as const } };
  const server = createServer(workspace, { tokens, ...options });
  const { url } = await server.listen(0);
  const close = async (): Promise<void> => {
    await server.close();
    await workspace.close();
  };
  const send: ServedWorkspace["send"] = async (method, path, { token = adminToken, body, headers } = {}) => {
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
  return { served: { workspace, server, url, send }, close };
}
