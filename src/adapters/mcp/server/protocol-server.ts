import type { Clock } from "../../../base/index.ts";
import type { ToolCalls } from "./tool-calls.ts";
import type { HeldDialogues, Rounds } from "./held-dialogues.ts";
import { pushingLink } from "./client-link.ts";
import { provideCompletions, providePrompts, provideResources } from "./provide.ts";
import type { ProvidedPrompts, ProvidedResources } from "./provided.ts";
import type { ClientCapabilities, InputRequiredResult, Server, ServerContext, ServerSdk } from "./sdk.ts";
import type { ToolList } from "./tool-list.ts";

/** What every server of one serving shares. */
export interface ProtocolParts {
  readonly sdk: ServerSdk;
  readonly name: string;
  readonly version: string;
  readonly instructions?: string;
  readonly clock: Clock;
  readonly list: ToolList;
  /** Resolves when there is a list to give. */
  readonly ready: () => Promise<void>;
  /** Resolves when no more tools are to come, or have been waited for long enough. */
  readonly complete: () => Promise<void>;
  readonly calls: ToolCalls;
  readonly resources?: ProvidedResources;
  readonly prompts?: ProvidedPrompts;
}

/** One server: of a connection, of a session, or of a single request. */
export interface ProtocolServer {
  readonly server: Server;
  /** The addresses whose changes its client wants to hear of, in the 2025 era. */
  readonly watched: ReadonlySet<string>;
}

/** Which era it speaks, and where its work waits for answers. */
export interface ServerKind {
  readonly era: "legacy" | "modern";
  readonly held: HeldDialogues;
  /** Tells the calls of one client from those of others; a server for a single request has none. */
  readonly conversationId?: string;
}

/** Does work that may ask the client something, in one round or in several. */
export type Converse = <Result>(rounds: Omit<Rounds<Result>, "capabilities">) => Promise<Result | InputRequiredResult>;

/** A client asks for the list again after this long, where it was not told of changes before. */
const listMs = 5000;

/** Makes a server of the protocol. It is cheap: in the 2026 era every request over HTTP gets its own. */
export function createProtocolServer(parts: ProtocolParts, kind: ServerKind): ProtocolServer {
  const { era, held, conversationId } = kind;
  const { sdk, name, version, instructions, list, ready, complete, calls, resources, prompts } = parts;
  const listed = { ttlMs: listMs, cacheScope: "private" } as const;
  const server = new sdk.Server(
    { name, version },
    {
      capabilities: capabilitiesOf(parts),
      ...(instructions !== undefined && { instructions }),
      // Answers are checked where they are asked for; one more compiler for each request would be slow.
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
    const capabilities = era === "legacy" ? server.getClientCapabilities() : declaredIn(rounds.context, sdk);
    if (era === "modern") return held.round({ ...rounds, capabilities });
    return rounds.work(pushingLink(rounds.context, capabilities), rounds.context.mcpReq.signal);
  };

  server.setRequestHandler("tools/list", async ({ params }) => {
    await ready();
    const page = list.page(params?.cursor);
    if (page === undefined)
      throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, "this cursor is none of ours");
    // The list is kept; what is sent is only read.
    return { ...page, tools: [...page.tools] } as never;
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    // A client may remember what it was listed by an earlier process.
    if (list.find(params.name) === undefined) await complete();
    const from = { client: server.getClientVersion()?.name, conversationId };
    const work = calls.prepare(params.name, params.arguments, from);
    return converse({ context, subject: ["tools/call", params.name, params.arguments ?? {}], work });
  });
  const watched = resources === undefined ? new Set<string>() : provideResources({ server, sdk, resources, era });
  if (prompts !== undefined) providePrompts({ server, sdk, prompts, converse });
  if (prompts?.complete !== undefined || resources?.complete !== undefined) provideCompletions(server, parts);
  return { server, watched };
}

function capabilitiesOf({ resources, prompts }: ProtocolParts) {
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

/** Checked by the package of the protocol before any handler is called; its type does not name the keys. */
function declaredIn({ mcpReq }: ServerContext, sdk: ServerSdk): ClientCapabilities | undefined {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  return envelope?.[sdk.CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
}
