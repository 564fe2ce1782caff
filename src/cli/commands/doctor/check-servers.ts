import type { McpServerStatus, McpSource } from "../../../hub/index.ts";
import type { Finding } from "./finding.ts";
import { formatCount } from "../../terminal/format-figures.ts";
import { problemFinding } from "./problem-finding.ts";

/** Findings about the MCP servers of a workspace; with `network`, each is connected first. */
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
  const finding = new Set(servers.flatMap(({ fault }) => fault ?? []));
  // Problems of a server are part of its finding; these are problems of the files.
  const others = mcp.problems().filter(({ code, message }) => !ofServers.has(code) && !finding.has(message));
  return [...others.map((problem) => problemFinding("mcp", problem)), ...servers.map(findingOf)];
}

/** Codes of problems that the status of a server already contains. */
const ofServers: ReadonlySet<string> = new Set([
  "server_failed",
  "server_changed",
  "pin_mismatch",
  "unpinned",
  "hidden_text",
  "tool_too_large",
]);

/** A server whose command changed since its approval must not be started by a check. */
function mayConnect({ state }: McpServerStatus): boolean {
  return state !== "changed" && state !== "disabled" && state !== "broken";
}

async function connect(mcp: McpSource, name: string): Promise<void> {
  // Its status contains the failure.
  await mcp.refresh(name).catch(() => undefined);
}

function findingOf(status: McpServerStatus): Finding {
  const { name, state, tools, refused, hint } = status;
  const about = `mcp ${name}`;
  const finding = { about, message: describe(status), ...(hint !== undefined && { todo: hint }) };
  if (state === "broken") return { ...finding, status: "fail" };
  if (state === "unknown" || state === "disabled") return { ...finding, status: "off" };
  const isSound = (state === "connected" || state === "known") && refused.length === 0 && tools.length > 0;
  return { ...finding, status: isSound ? "ok" : "warn" };
}

function describe({ state, tools, refused, protocol, lastFailure, display, fault }: McpServerStatus): string {
  if (state === "disabled") return "disabled";
  if (state === "broken") return fault ?? `its entry is invalid: ${display}`;
  if (state === "unknown" && lastFailure === undefined) return `never connected: ${display}`;
  if (state === "down") return lastFailure?.message ?? `down: ${display}`;
  const refusals = refused.length === 0 ? "" : `, ${refused.length} refused`;
  const text = protocol === undefined ? "" : `, protocol ${protocol}`;
  return `${formatCount(tools.length, "tool")}${refusals}${text}${state === "changed" ? "; its start command changed since it was approved" : ""}`;
}
