import { ServedClient } from "./served-client.ts";
import type { Converse, ProtocolServerDeps } from "./protocol-server.ts";
import type { McpPromptProvider, McpResourceProvider } from "./mcp-providers.ts";
import type { Server, ServerSdk } from "./sdk.ts";

interface Providing {
  readonly server: Server;
  readonly sdk: ServerSdk;
}

/** Serves resources; returns the addresses that the client has subscribed to. */
export function provideResources(
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
export function providePrompts(
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
export function provideCompletions(
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
