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

/** The exports of the protocol's SDK. */
export type ServerSdk = typeof Sdk;

/** Loaded lazily, when something is served. */
export function loadServerSdk(): Promise<ServerSdk> {
  return import("@modelcontextprotocol/server");
}
