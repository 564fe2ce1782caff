import type { Clock } from "../../../base/index.ts";
import type { ToolCalls } from "./tool-calls.ts";
import type { PendingDialogues, Rounds } from "./pending-dialogues.ts";
import { createPushLink } from "./client-link.ts";
import { provideCompletions, providePrompts, provideResources } from "./serve-providers.ts";
import type { McpPromptProvider, McpResourceProvider } from "./mcp-providers.ts";
import type { ClientCapabilities, InputRequiredResult, Server, ServerContext, ServerSdk } from "./sdk.ts";
import type { ServedToolList } from "./tool-list.ts";

/** Dependencies shared by all protocol servers of one tool server. */
export interface ProtocolServerDeps {
  readonly sdk: ServerSdk;
  readonly name: string;
  readonly version: string;
  readonly instructions?: string;
  readonly clock: Clock;
  readonly list: ServedToolList;
  /** Resolves when there is a list to return. */
  readonly ready: () => Promise<void>;
  /** Resolves when the tools are complete, or the maximum wait is over. */
  readonly complete: () => Promise<void>;
  readonly calls: ToolCalls;
  readonly resources?: McpResourceProvider;
  readonly prompts?: McpPromptProvider;
}

/** One server: of a connection, of a session, or of a single request. */
export interface ProtocolServer {
  readonly server: Server;
  /** The addresses that its client has subscribed to, in protocol version 2025. */
  readonly watched: ReadonlySet<string>;
}

/** Protocol version of a server, and the store of its suspended work. */
export interface ServerKind {
  readonly protocolVersion: "legacy" | "modern";
  readonly held: PendingDialogues;
  /** Distinguishes the calls of one client from those of others; a server for a single request has none. */
  readonly conversationId?: string;
  /** Identifies the clients that share a token, if the protocol has no sessions. */
  readonly session?: string;
}

/** Runs work that may request input from the client, in one round or several. */
export type Converse = <Result>(rounds: Omit<Rounds<Result>, "capabilities">) => Promise<Result | InputRequiredResult>;

/** Time after which a client lists the tools again if it was not notified of changes. */
const listMs = 5000;

/** Creates a protocol server. It is cheap: in protocol version 2026 every request over HTTP gets its own. */
export function createProtocolServer(parts: ProtocolServerDeps, kind: ServerKind): ProtocolServer {
  const { protocolVersion, held, conversationId, session } = kind;
  const { sdk, name, version, instructions, list, ready, complete, calls, resources, prompts } = parts;
  const listed = { ttlMs: listMs, cacheScope: "private" } as const;
  const server = new sdk.Server(
    { name, version },
    {
      capabilities: capabilitiesOf(parts),
      ...(instructions !== undefined && { instructions }),
      // Answers are validated where they are requested; another compiler for each request would be slow.
      jsonSchemaValidator: {
        getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }),
      },
      cacheHints: {
        "tools/list": listed,
        "prompts/list": listed,
        "resources/list": listed,
        "resources/templates/list": listed,
      },
    },
  );
  const converse: Converse = (rounds) => {
    const capabilities =
      protocolVersion === "legacy" ? server.getClientCapabilities() : declaredIn(rounds.context, sdk);
    if (protocolVersion === "modern") return held.round({ ...rounds, capabilities });
    return rounds.work(createPushLink(rounds.context, capabilities), rounds.context.mcpReq.signal);
  };

  server.setRequestHandler("tools/list", async ({ params }) => {
    await ready();
    const page = list.page(params?.cursor);
    if (page === undefined)
      throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, "this cursor is not valid");
    // The list is cached; the SDK only reads it.
    return { ...page, tools: [...page.tools] } as never;
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    // A client may remember a tool from the list of an earlier process.
    if (list.find(params.name) === undefined) await complete();
    const from = { client: server.getClientVersion()?.name, conversationId, session };
    const work = calls.prepare(params.name, params.arguments, from);
    return converse({ context, subject: ["tools/call", params.name, params.arguments ?? {}], work });
  });
  const watched =
    resources === undefined ? new Set<string>() : provideResources({ server, sdk, resources, protocolVersion });
  if (prompts !== undefined) providePrompts({ server, sdk, prompts, converse });
  if (prompts?.complete !== undefined || resources?.complete !== undefined) provideCompletions(server, parts);
  return { server, watched };
}

function capabilitiesOf({ resources, prompts }: ProtocolServerDeps) {
  const completes = prompts?.complete !== undefined || resources?.complete !== undefined;
  return {
    tools: { listChanged: true },
    logging: {},
    ...(resources !== undefined && {
      resources: resources.watch === undefined ? {} : { subscribe: true, listChanged: true },
    }),
    ...(prompts !== undefined && { prompts: prompts.watch === undefined ? {} : { listChanged: true } }),
    ...(completes && { completions: {} }),
  };
}

/** Validated by the protocol's SDK before any handler is called; its type does not name the keys. */
function declaredIn({ mcpReq }: ServerContext, sdk: ServerSdk): ClientCapabilities | undefined {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  return envelope?.[sdk.CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
}
