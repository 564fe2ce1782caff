import type { ProtocolServer } from "./protocol-server.ts";
import type { McpHttpHandler } from "./sdk.ts";
import { nodeCrypto } from "../../../base/index.ts";

/** Something has changed: the tools, the prompts, the resources, or one resource. */
export type Change =
  | { readonly kind: "tools" | "prompts" | "resources" }
  | { readonly kind: "resource"; readonly uri: string };

/** The connected clients, which are notified of changes. */
export class ConnectedClients {
  readonly #servers = new Set<ProtocolServer>();
  readonly #handlers = new Set<McpHttpHandler>();
  readonly #log: (message: string) => void;

  constructor(log: (message: string) => void) {
    this.#log = log;
  }

  /** Returns a function that removes it. */
  add(line: ProtocolServer): () => void {
    this.#servers.add(line);
    return () => void this.#servers.delete(line);
  }

  /** The same for the requests of protocol version 2026 over HTTP. */
  addHandler(handler: McpHttpHandler): () => void {
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }

  notify(change: Change): void {
    for (const handler of this.#handlers) publish(handler, change);
    for (const line of this.#servers) {
      // Before the handshake the client does not listen.
      if (line.server.getNegotiatedProtocolVersion() === undefined) continue;
      notify(line, change).catch((error: unknown) =>
        this.#log(`a client could not be notified of a change: ${String(error)}`),
      );
    }
  }
}

function publish({ notify }: McpHttpHandler, change: Change): void {
  switch (change.kind) {
    case "tools":
      return notify.toolsChanged();
    case "prompts":
      return notify.promptsChanged();
    case "resources":
      return notify.resourcesChanged();
    case "resource":
      return notify.resourceUpdated(change.uri);
  }
}

async function notify({ server, watched }: ProtocolServer, change: Change): Promise<void> {
  switch (change.kind) {
    case "tools":
      return server.sendToolListChanged();
    case "prompts":
      return server.sendPromptListChanged();
    case "resources":
      return server.sendResourceListChanged();
    case "resource":
      // On connections of protocol version 2026, the connection's subscriptions decide.
      if (watched.has(change.uri) || isModern(server.getNegotiatedProtocolVersion())) {
        return server.sendResourceUpdated({ uri: change.uri });
      }
  }
}

function isModern(version: string | undefined): boolean {
  return version !== undefined && version >= "2026";
}

/**
 * Creates an id for the calls of one client over one connection or session. It is not a session id: it appears in
 * records, whose readers must not be able to act as the client.
 */
export function newConversation(): string {
  return `mcp-${nodeCrypto().randomBytes(12).toString("base64url")}`;
}
