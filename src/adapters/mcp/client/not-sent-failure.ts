import type { FailureError } from "../../../base/index.ts";
import { mcpFailure } from "./mcp-reasons.ts";

/**
 * The failure of a message on a connection that has ended. Requests in flight may have been executed; this one was not.
 *
 * @param lost The reason of the end, if it was not requested.
 */
export function notSent(server: string, lost?: FailureError): FailureError {
  // An action that the user has to take is more useful to know.
  if (lost?.reason === "unauthorized" || lost?.reason === "forbidden") return lost;
  const reported = lost?.message ?? `the connection to the MCP server "${server}" is closed`;
  return mcpFailure("not_sent", reported, {
    cause: lost,
    forModel: `the connection to the MCP server "${server}" is closed`,
  });
}
