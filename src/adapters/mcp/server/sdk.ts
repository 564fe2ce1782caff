import type * as Sdk from "@modelcontextprotocol/server";

export type {
  CallToolResult,
  ClientCapabilities,
  ContentBlock,
  GetPromptResult,
  InputRequest,
  InputRequiredResult,
  McpHttpHandler,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  Server,
  ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

/** What the package of the protocol exports. */
export type ServerSdk = typeof Sdk;

/** Loaded when something is served, never before. */
export function loadServerSdk(): Promise<ServerSdk> {
  return import("@modelcontextprotocol/server");
}
