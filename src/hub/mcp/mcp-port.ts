import type { FailureError } from "../../base/index.ts";
import type { JsonSchema } from "../../schema/index.ts";
import type { ElicitRequest, ElicitResult } from "../../tool/index.ts";

/** A server that is a program: started here, spoken to over its standard input and output. */
export interface McpStdioAddress {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the few variables that every program gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** A server elsewhere, spoken to over HTTP. */
export interface McpHttpAddress {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** OAuth client, if the server does not support dynamic registration. */
  readonly oauth?: { readonly clientId?: string; readonly clientSecret?: string; readonly scope?: string };
}

/** Address of a server. All of it counts as secret. */
export type McpAddress = McpStdioAddress | McpHttpAddress;

/** A tool as its server describes it, not validated yet. */
export interface McpToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** A content block of a tool's output, as in the protocol. */
export type McpContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | { readonly type: "resource"; readonly resource: McpResourceContent }
  | { readonly type: "resource_link"; readonly uri: string; readonly name?: string; readonly mimeType?: string };

/** The content of a resource: a text, or bytes in base 64. */
export interface McpResourceContent {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}

/** A resource as its server lists it. */
export interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** Outcome of a call. */
export interface McpCallOutcome {
  readonly isError: boolean;
  readonly content: readonly McpContent[];
  readonly structured?: unknown;
  /** Violation of the protocol that leaves a usable result. */
  readonly problem?: string;
}

/** Options of a call. */
export interface McpCallOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: { progress: number; total?: number; message?: string }) => void;
  readonly elicit?: (request: ElicitRequest) => Promise<ElicitResult>;
}

/** Callbacks of the owner of a connection. */
export interface McpListener {
  /** The server reports that its tools changed. */
  toolsChanged(): void;
  /** The connection is gone: closed, died, broken. Called once; every call in progress has failed before. */
  closed(why: FailureError | undefined): void;
  /** A line for the log of the workspace: of the server, or about it. */
  log(message: string): void;
}

/** A connection to a server that has shaken hands. */
export interface McpConnection {
  readonly server: { readonly name: string; readonly version: string };
  readonly protocol: string;
  readonly instructions?: string;
  /** Entries of the last list of tools that violate the protocol, and were omitted. */
  readonly listProblems?: readonly string[];
  /** All pages of them, within limits. */
  listTools(signal: AbortSignal): Promise<readonly McpToolDefinition[]>;
  /** Throws a failure if the protocol or the transport fails; a tool that fails is an outcome. */
  callTool(name: string, args: unknown, options: McpCallOptions): Promise<McpCallOutcome>;
  listResources(signal: AbortSignal): Promise<readonly McpResource[]>;
  readResource(uri: string, signal: AbortSignal): Promise<readonly McpResourceContent[]>;
  /** Closes it and, if the server is a local program, waits until its processes are gone. */
  close(): Promise<void>;
}

/** Connects to servers. The implementation of the protocol. */
export interface McpConnector {
  connect(server: string, address: McpAddress, options: McpConnectOptions): Promise<McpConnection>;
  /** Ends processes that an earlier process of this workspace left running. */
  reap(): Promise<void>;
}

/** Options of connecting. */
export interface McpConnectOptions {
  readonly listener: McpListener;
  /** Aborts the attempt; it has no effect on an open connection. */
  readonly signal: AbortSignal;
  /** The protocol of the last connection, if known: avoids a probe that the server does not support. */
  readonly lastProtocol?: string;
}
