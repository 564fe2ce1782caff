/**
 * The Model Context Protocol, in both directions: `windlass/mcp`. Tools of an engine for MCP clients, and MCP
 * servers as a source of tools. `openWorkspace` and `windlass mcp serve` set all of it up; use this module to build
 * a custom host.
 *
 * @packageDocumentation
 */

// Serving tools
export {
  type McpHttpLimits,
  type McpHttpOptions,
  type McpHttpServer,
  type McpToolServer,
  type McpToolServerOptions,
  type OutputView,
  type McpPromptProvider,
  type McpResourceProvider,
  type McpStdioServer,
  type OutputRecipient,
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
  type McpToolDefinition,
  type McpListener,
  type McpResource,
  type McpResourceContent,
  type McpReview,
  type McpServerState,
  type McpServerStatus,
  type McpSource,
  type McpSourceLimits,
  type McpSourceOptions,
  type McpStdioAddress,
  type RefusedTool,
  type McpHttpAddress,
  type ReviewedTool,
  loadMcpSource,
} from "./hub/index.ts";
