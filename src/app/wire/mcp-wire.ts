import type { McpReview, McpServerStatus } from "../../hub/index.ts";
import type { Redactor } from "../../secrets/index.ts";
import { snakeKeys } from "../../tool/index.ts";

/** The status of an MCP server in JSON outputs, without secrets. */
export function toWireMcpServer(
  { lastFailure, ...server }: McpServerStatus,
  redactor: Pick<Redactor, "value">,
): Readonly<Record<string, unknown>> {
  const wire = {
    ...snakeKeys(server),
    ...(lastFailure !== undefined && { last_failure: snakeKeys({ ...lastFailure }) }),
  };
  // An object is redacted to an object.
  return redactor.value(wire) as Readonly<Record<string, unknown>>;
}

/** The pending approval of an MCP server, in JSON outputs. */
export function toWireMcpReview({
  server,
  address,
  tools,
  gone,
  refused,
}: McpReview): Readonly<Record<string, unknown>> {
  return {
    server,
    ...(address !== undefined && { address: toWireAddress(address) }),
    tools: tools.map(({ name, isNew, changes }) => ({ name, is_new: isNew, changes })),
    gone,
    refused,
  };
}

function toWireAddress({ before, after, parts }: NonNullable<McpReview["address"]>): unknown {
  return { before, after, parts: parts.map(({ isChanged, ...part }) => ({ ...part, is_changed: isChanged })) };
}
