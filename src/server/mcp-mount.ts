import type { McpHttpEndpoint, McpToolServer } from "../adapters/index.ts";
import { type Workspace, serveTools } from "../app/index.ts";
import type { Caller } from "./request/caller.ts";
import type { Mount } from "./request/create-app.ts";

/** MCP over HTTP at `/mcp`, for tokens with the scope `call`. Loaded by the first request. */
export class McpMount implements Mount {
  readonly path: string = "/mcp";
  readonly access = "call";
  readonly #workspace: Workspace;
  readonly #serving: McpToolServer | undefined;
  #opening: Promise<Opened> | undefined;
  #isClosed = false;

  /** @param serving The tools to serve. Default: those that `windlass mcp serve` offers. */
  constructor(workspace: Workspace, serving: McpToolServer | undefined) {
    this.#workspace = workspace;
    this.#serving = serving;
  }

  readonly respond = async (request: Request, { principal, tokenId, scopes }: Caller): Promise<Response> => {
    const { endpoint } = await (this.#opening ??= this.#open());
    // A token that may only call does not approve its own calls.
    const mayApprove = scopes.has("approve") || scopes.has("admin");
    return endpoint.respond(request, { id: tokenId, principal, mayApprove });
  };

  /** Ends all requests and sessions. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const opened = await this.#opening?.catch(() => undefined);
    await opened?.endpoint.close();
    await opened?.own?.close();
  }

  async #open(): Promise<Opened> {
    const serving = this.#serving ?? (await serveTools(this.#workspace));
    const endpoint = await serving.endpoint();
    if (this.#isClosed) await endpoint.close();
    return { endpoint, own: serving === this.#serving ? undefined : serving };
  }
}

interface Opened {
  readonly endpoint: McpHttpEndpoint;
  /** Closed with it. */
  readonly own: McpToolServer | undefined;
}
