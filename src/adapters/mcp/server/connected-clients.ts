import type { ProtocolServer } from "./protocol-server.ts";
import type { McpHttpHandler } from "./sdk.ts";

/** Something has changed: the tools, the prompts, the resources, or one resource. */
export type Change =
  | { readonly kind: "tools" | "prompts" | "resources" }
  | { readonly kind: "resource"; readonly uri: string };

/** The clients that are connected, to be told of changes. */
export class ServingLines {
  readonly #servers = new Set<ProtocolServer>();
  readonly #handlers = new Set<McpHttpHandler>();
  readonly #log: (message: string) => void;

  constructor(log: (message: string) => void) {
    this.#log = log;
  }

  /** Returns the function that takes it away. */
  add(line: ProtocolServer): () => void {
    this.#servers.add(line);
    return () => void this.#servers.delete(line);
  }

  /** The same for the requests of the 2026 era over HTTP. */
  addHandler(handler: McpHttpHandler): () => void {
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }

  tell(change: Change): void {
    for (const handler of this.#handlers) publish(handler, change);
    for (const line of this.#servers) {
      // Before the handshake nobody listens.
      if (line.server.getNegotiatedProtocolVersion() === undefined) continue;
      notify(line, change).catch((error: unknown) => this.#log(`a client was not told of a change: ${String(error)}`));
    }
  }
}

function publish({ notify: told }: McpHttpHandler, change: Change): void {
  switch (change.kind) {
    case "tools":
      return told.toolsChanged();
    case "prompts":
      return told.promptsChanged();
    case "resources":
      return told.resourcesChanged();
    case "resource":
      return told.resourceUpdated(change.uri);
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
      // Where the connection is of the 2026 era, the subscriptions of the connection decide.
      if (watched.has(change.uri) || isModern(server.getNegotiatedProtocolVersion())) {
        return server.sendResourceUpdated({ uri: change.uri });
      }
  }
}

function isModern(version: string | undefined): boolean {
  return version !== undefined && version >= "2026";
}
