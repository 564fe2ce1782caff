/**
 * The Model Context Protocol, both ways: `windlass/mcp`. Tools of an engine for MCP clients, and MCP servers as a source
 * of tools. `openWorkspace` and `windlass mcp serve` set all of it up; this is for whoever builds a home of their own.
 *
 * @packageDocumentation
 */

// Serving tools
export {
  type HttpLimits,
  type HttpOptions,
  type HttpServing,
  type McpServing,
  type McpServingOptions,
  type OutputView,
  type ProvidedPrompts,
  type ProvidedResources,
  type StdioServing,
  type ViewFor,
  type ViewOutput,
  serveMcp,
} from "./adapters/index.ts";

// Using the tools of servers
export {
  type McpClient,
  type McpConnectorOptions,
  type McpLimits,
  type McpLoginOptions,
  loadMcpClient,
} from "./adapters/index.ts";
export {
  type McpAddress,
  type McpCallOptions,
  type McpCallOutcome,
  type McpConnectOptions,
  type McpConnection,
  type McpConnector,
  type McpContent,
  type McpDefinition,
  type McpListener,
  type McpResource,
  type McpResourceContent,
  type McpReview,
  type McpServerState,
  type McpServerStatus,
  type McpSource,
  type McpSourceLimits,
  type McpSourceOptions,
  type ProgramServer,
  type RefusedTool,
  type RemoteServer,
  type ReviewedTool,
  loadMcpSource,
} from "./hub/index.ts";
