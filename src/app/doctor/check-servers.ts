import { cliCommand } from "../../base/index.ts";
import type { McpServerStatus, McpSource } from "../../hub/index.ts";
import { faultOf, modelSetupHint } from "../../model/index.ts";
import { type Problem, formatCount, toOneLine } from "../../text/index.ts";
import type { Workspace } from "../workspace.ts";

/** Findings about the MCP servers of a workspace; with `network`, each is connected first. */
export async function examineServers(mcp: McpSource | undefined, network: boolean): Promise<Finding[]> {
  if (mcp === undefined) return [];
  const connectable = network ? mcp.status().filter(mayConnect) : [];
  // The status of a server contains the failure.
  await Promise.all(connectable.map(({ name }) => mcp.refresh(name).catch(() => undefined)));
  const servers = mcp.status();
  const faults = new Set(servers.flatMap(({ fault }) => fault ?? []));
  // Problems of a server are part of its finding; these are problems of the files.
  const others = mcp.problems().filter(({ code, message }) => !ofServers.has(code) && !faults.has(message));
  return [...others.map((problem) => problemFinding("mcp", problem)), ...servers.map(findingOf)];
}

/** Codes of problems that the status of a server already contains. */
const ofServers: ReadonlySet<string> = new Set(
  "server_failed server_changed pin_mismatch unpinned hidden_text tool_too_large".split(" "),
);

/** A server whose command changed since its approval must not be started by a check. */
function mayConnect({ state }: McpServerStatus): boolean {
  return state !== "changed" && state !== "disabled" && state !== "broken";
}

function findingOf(status: McpServerStatus): Finding {
  const { name, state, tools, refused, hint } = status;
  const as = (result: Finding["status"]): Finding => finding(`mcp ${name}`, result, describe(status), hint);
  if (state === "broken") return as("fail");
  if (state === "unknown" || state === "disabled") return as("off");
  const isSound = (state === "connected" || state === "known") && refused.length === 0 && tools.length > 0;
  return as(isSound ? "ok" : "warn");
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

/** Converts a problem of a file to a finding. */
export function problemFinding(about: string, problem: Problem): Finding {
  const message = `${problem.file}:${problem.line}:${problem.column}: ${problem.message}`;
  const status = problem.severity === "error" ? "fail" : "warn";
  return finding(about, status, message, problem.hint ?? `find the position with: ${cliCommand("validate")}`);
}

/** One check of `windlass doctor`. */
export interface Finding {
  /** Stable name of the checked subject. */
  readonly about: string;
  /** `off`: optional, and not configured. */
  readonly status: "ok" | "off" | "warn" | "fail";
  readonly message: string;
  /** Suggested fix, if it is not ok. */
  readonly todo?: string;
}

/** Creates a finding. */
export function finding(about: string, status: Finding["status"], message: string, todo?: string): Finding {
  return { about, status, message, ...(todo !== undefined && { todo }) };
}

/** Runners that can answer without a model. */
export const worksAlone: ReadonlySet<string> = new Set(["vault"]);

/** Checks the settings of `windlass ask` and `windlass chat`; sends no requests. */
export function examineAgent({ config: { agent }, models }: Pick<Workspace, "config" | "models">): Finding[] {
  const about = "agent";
  const { runner, model = "default", maxRounds, tokenBudget, costBudget, tools } = agent;
  const has = models.names.includes(model);
  if (!has && !worksAlone.has(runner)) {
    const message = `runner ${runner} needs a model, and none is configured; \`${cliCommand("ask")} --runner vault\` works without one`;
    // If no model is configured at all, that finding already says how to configure one.
    const todo = models.names.length === 0 ? undefined : modelSetupHint({ names: models.names });
    return [finding(about, "off", message, todo)];
  }
  if (!worksAlone.has(runner) && faultOf(models.get(model)) !== undefined) {
    // The finding of the model already says what is wrong.
    return [finding(about, "off", `runner ${runner} cannot use the model ${toOneLine(model)} as configured`)];
  }
  const limits = [
    `at most ${formatCount(maxRounds, "round")} of tool calls`,
    ...(tokenBudget === undefined ? [] : [formatCount(tokenBudget, "token")]),
    ...(costBudget === undefined ? [] : [`a cost of ${costBudget}`]),
    ...(tools === undefined ? [] : [`the tools ${tools.map(toOneLine).join(", ")}`]),
  ];
  const summary = has
    ? `runner ${runner} uses the model ${toOneLine(model)}`
    : `runner ${runner} answers from the notes, without a model`;
  return [finding(about, "ok", `${summary}; ${limits.join(", ")}`)];
}
