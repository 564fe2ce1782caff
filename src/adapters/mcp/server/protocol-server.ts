import type { Clock } from "../../../base/index.ts";
import type { CallOrigin, ToolCalls } from "./tool-calls.ts";
import type { PendingDialogues, Rounds } from "./dialogue.ts";
import { createPushLink } from "./client-link.ts";
import type { McpPromptProvider, McpResourceProvider } from "./mcp-providers.ts";
import type { ClientCapabilities, InputRequiredResult, Server, ServerContext, ServerSdk } from "./sdk.ts";
import type { ServedToolList } from "./tool-list.ts";
import { ServedClient } from "./served-client.ts";

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
interface ServerKind {
  readonly protocolVersion: "legacy" | "modern";
  readonly held: PendingDialogues;
  /** Distinguishes the calls of one client from those of others; a server for a single request has none. */
  readonly conversationId?: string;
  /** Identifies the clients that share a token, if the protocol has no sessions. */
  readonly session?: string;
  /** The principal of the token of the client, and whether it may approve. */
  readonly by?: Pick<CallOrigin, "principal" | "mayApprove">;
}

/** Runs work that may request input from the client, in one round or several. */
type Converse = <Result>(rounds: Omit<Rounds<Result>, "capabilities">) => Promise<Result | InputRequiredResult>;

/** Time after which a client lists the tools again if it was not notified of changes. */
const listMs = 5000;

/** Creates a protocol server. It is cheap: in protocol version 2026 every request over HTTP gets its own. */
export function createProtocolServer(parts: ProtocolServerDeps, kind: ServerKind): ProtocolServer {
  const { protocolVersion, held, conversationId, session, by } = kind;
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
    const from = { client: server.getClientVersion()?.name, conversationId, session, ...by };
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

interface Providing {
  readonly server: Server;
  readonly sdk: ServerSdk;
}

/** Serves resources; returns the addresses that the client has subscribed to. */
function provideResources(
  providing: Providing & { readonly resources: McpResourceProvider; readonly protocolVersion: "legacy" | "modern" },
): ReadonlySet<string> {
  const { server, sdk, resources, protocolVersion } = providing;
  const watched = new Set<string>();
  server.setRequestHandler("resources/list", async (_request, { mcpReq }) => ({
    resources: [...(await resources.list(mcpReq.signal))],
  }));
  server.setRequestHandler("resources/templates/list", async (_request, { mcpReq }) => ({
    resourceTemplates: [...((await resources.templates?.(mcpReq.signal)) ?? [])],
  }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }, { mcpReq }) => {
    const contents = await resources.read(uri, mcpReq.signal);
    if (contents === undefined) throw new sdk.ResourceNotFoundError(uri);
    return { contents };
  });
  if (protocolVersion === "modern" || resources.watch === undefined) return watched;
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
    if (watched.size >= maxWatched) {
      throw new sdk.ProtocolError(
        sdk.ProtocolErrorCode.InvalidParams,
        `at most ${maxWatched} resources can be watched`,
      );
    }
    watched.add(uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    watched.delete(uri);
    return {};
  });
  return watched;
}

const maxWatched = 1000;

/** Serves prompts. */
function providePrompts(
  providing: Providing & { readonly prompts: McpPromptProvider; readonly converse: Converse },
): void {
  const { server, sdk, prompts, converse } = providing;
  server.setRequestHandler("prompts/list", async (_request, { mcpReq }) => ({
    prompts: [...(await prompts.list(mcpReq.signal))],
  }));
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: args = {} } }, context) =>
    converse({
      context,
      subject: ["prompts/get", name, args],
      work: async (link, signal) => {
        const client = new ServedClient(link, sdk);
        const prompt = await prompts.get(name, args, {
          signal,
          elicit: (elicitation, key) => client.elicit(elicitation, { signal, ...(key !== undefined && { key }) }),
        });
        if (prompt !== undefined) return prompt;
        throw new sdk.ProtocolError(
          sdk.ProtocolErrorCode.InvalidParams,
          `there is no prompt named ${JSON.stringify(name)}`,
        );
      },
    }),
  );
}

/** Maximum number of values in one completion, set by the protocol. */
const maxValues = 100;

/** Serves completions of arguments. */
function provideCompletions(
  server: Server,
  { prompts, resources }: Pick<ProtocolServerDeps, "prompts" | "resources">,
): void {
  server.setRequestHandler("completion/complete", async ({ params: { ref, argument } }) => {
    const found =
      ref.type === "ref/prompt"
        ? await prompts?.complete?.(ref.name, argument)
        : await resources?.complete?.(ref.uri, argument);
    const values = found ?? [];
    return {
      completion: { values: values.slice(0, maxValues), total: values.length, hasMore: values.length > maxValues },
    };
  });
}
