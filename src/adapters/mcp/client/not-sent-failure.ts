import type { FailureError } from "../../../base/index.ts";
import { mcpFailure } from "./mcp-reasons.ts";

/**
 * Why a message does not go over a connection that has ended. What was under way may have been done; this was not.
 *
 * @param lost Why it ended, where nobody asked for it.
 */
export function notSent(server: string, lost?: FailureError): FailureError {
  // What a person has to do first is worth more to know.
  if (lost?.reason === "unauthorized" || lost?.reason === "forbidden") return lost;
  const told = lost?.message ?? `the connection to the MCP server "${server}" is closed`;
  return mcpFailure("not_sent", told, {
    cause: lost,
    forModel: `the connection to the MCP server "${server}" is closed`,
  });
}
