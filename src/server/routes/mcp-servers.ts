import type { WireValue } from "../../api/index.ts";
import { type Workspace, toWireMcpReview, toWireMcpServer } from "../../app/index.ts";
import { cliCommand, isFailureError, nodeCrypto } from "../../base/index.ts";
import type { McpReview, McpSource } from "../../hub/index.ts";
import { asWire } from "../request/as-wire.ts";
import { type Handlers, refusal } from "../request/handler.ts";

type McpRoutes = Handlers<"list_mcp_servers" | "approve_mcp_server" | "reconnect_mcp_server">;

/** The MCP servers that the workspace uses: status, approval, reconnection. */
export function mcpServerRoutes(): McpRoutes {
  return {
    list_mcp_servers: ({ workspace }) => {
      const names = workspace.sources.mcp?.status().map(({ name }) => name) ?? [];
      return { items: names.map((name) => statusOf(workspace, name)), next_cursor: null };
    },
    approve_mcp_server: async ({ workspace, params: { name }, body, signal }) => {
      const mcp = requireServer(workspace, name);
      const review = pendingReview(mcp, name);
      if (review === undefined)
        throw refusal("conflict", `nothing of the MCP server ${JSON.stringify(name)} waits for approval`);
      if (digestOf(review) !== body.digest) {
        const detail = `the MCP server ${JSON.stringify(name)} changed after it was reviewed; read it again: GET /v1/mcp/servers`;
        throw refusal("conflict", detail, { reason: "review_changed" });
      }
      mcp.approve(review);
      // A new address was not connected before; its status states a failure.
      if (review.address !== undefined) await mcp.refresh(name, { signal }).catch(ignoreFailure);
      return statusOf(workspace, name);
    },
    reconnect_mcp_server: async ({ workspace, params: { name }, signal }) => {
      const mcp = requireServer(workspace, name);
      // Starting a program is enough for it to run any code.
      if (mcp.status().find((server) => server.name === name)?.state === "changed") {
        const detail = `the command or address of ${JSON.stringify(name)} changed since it was approved; approve it first`;
        throw refusal("conflict", detail, { reason: "server_changed" });
      }
      await mcp.refresh(name, { signal });
      return statusOf(workspace, name);
    },
  };
}

function requireServer({ sources: { mcp } }: Workspace, name: string): McpSource {
  if (mcp?.status().some((server) => server.name === name) === true) return mcp;
  const detail = `there is no MCP server ${JSON.stringify(name)}; add one with: ${cliCommand("mcp add")}`;
  throw refusal("not_found", detail);
}

function statusOf(workspace: Workspace, name: string): WireValue<"McpServer"> {
  const { redactor } = workspace.engine;
  const mcp = requireServer(workspace, name);
  const review = pendingReview(mcp, name);
  const status = mcp.status().find((server) => server.name === name);
  if (status === undefined) throw refusal("not_found", `the MCP server ${JSON.stringify(name)} was removed`);
  const { seenAt, ...rest } = status;
  return asWire<"McpServer">({
    ...toWireMcpServer(rest, redactor),
    ...(seenAt !== undefined && { seen_at: new Date(seenAt).toISOString() }),
    ...(review !== undefined && {
      review: { ...(redactor.value(toWireMcpReview(review)) as object), digest: digestOf(review) },
    }),
  });
}

/** The pending approval of a server; undefined if nothing waits for one. */
function pendingReview(mcp: McpSource, name: string): McpReview | undefined {
  try {
    const review = mcp.review(name);
    const isPending = review.address !== undefined || review.tools.length + review.gone.length > 0;
    return isPending ? review : undefined;
  } catch (error) {
    // Such as a server that is disabled.
    return ignoreFailure(error);
  }
}

function digestOf(review: McpReview): string {
  return nodeCrypto().createHash("sha256").update(JSON.stringify(review)).digest("base64url");
}

function ignoreFailure(error: unknown): undefined {
  if (!isFailureError(error)) throw error;
  return undefined;
}
