import type { McpServerStatus, McpSource } from "../hub/index.ts";
import type { Finding } from "./finding.ts";
import { formatCount } from "./format-figures.ts";
import { problemFinding } from "./problem-finding.ts";

/** What is known of the MCP servers of a workspace; with `network` each is connected to first. */
export async function examineServers(mcp: McpSource | undefined, network: boolean): Promise<Finding[]> {
  if (mcp === undefined) return [];
  if (network)
    await Promise.all(
      mcp
        .status()
        .filter(mayConnect)
        .map(({ name }) => connect(mcp, name)),
    );
  const servers = mcp.status();
  const told = new Set(servers.flatMap(({ fault }) => fault ?? []));
  // What is wrong with a server is told with it; here, what is wrong with the files.
  const others = mcp.problems().filter(({ code, message }) => !ofServers.has(code) && !told.has(message));
  return [...others.map((problem) => problemFinding("mcp", problem)), ...servers.map(findingOf)];
}

/** Codes of problems that the status of a server tells. */
const ofServers: ReadonlySet<string> = new Set([
  "server_failed",
  "server_changed",
  "pin_mismatch",
  "unpinned",
  "hidden_text",
  "tool_too_large",
]);

/** A server that is started otherwise than it was approved is not started by a look at it. */
function mayConnect({ state }: McpServerStatus): boolean {
  return state !== "changed" && state !== "disabled" && state !== "broken";
}

async function connect(mcp: McpSource, name: string): Promise<void> {
  // Why it failed is in its status.
  await mcp.refresh(name).catch(() => undefined);
}

function findingOf(status: McpServerStatus): Finding {
  const { name, state, tools, refused, todo } = status;
  const about = `mcp ${name}`;
  const told = { about, message: describe(status), ...(todo !== undefined && { todo }) };
  if (state === "broken") return { ...told, status: "fail" };
  if (state === "unknown" || state === "disabled") return { ...told, status: "off" };
  const isSound = (state === "connected" || state === "known") && refused.length === 0 && tools.length > 0;
  return { ...told, status: isSound ? "ok" : "warn" };
}

function describe({ state, tools, refused, protocol, lastFailure, shown, fault }: McpServerStatus): string {
  if (state === "disabled") return "switched off";
  if (state === "broken") return fault ?? `its entry cannot be used: ${shown}`;
  if (state === "unknown" && lastFailure === undefined) return `never connected to: ${shown}`;
  if (state === "down") return lastFailure?.message ?? `down: ${shown}`;
  const refusals = refused.length === 0 ? "" : `, ${refused.length} refused`;
  const spoken = protocol === undefined ? "" : `, protocol ${protocol}`;
  return `${formatCount(tools.length, "tool")}${refusals}${spoken}${state === "changed" ? "; started otherwise than it was approved" : ""}`;
}
