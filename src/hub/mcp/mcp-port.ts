import type { FailureError } from "../../base/index.ts";
import type { JsonSchema } from "../../schema/index.ts";
import type { Question, QuestionAnswer } from "../../tool/index.ts";

/** A server that is a program: started here, spoken to over its standard input and output. */
export interface ProgramServer {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the few variables that every program gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** A server elsewhere, spoken to over HTTP. */
export interface RemoteServer {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As what to log in, where the server does not register whoever comes. */
  readonly oauth?: { readonly clientId?: string; readonly clientSecret?: string; readonly scope?: string };
}

/** How a server is reached. All of it counts as secret. */
export type McpAddress = ProgramServer | RemoteServer;

/** A tool as its server describes it; nothing of it is checked yet. */
export interface McpDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** A piece of what a tool gave, as the protocol has it. */
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

/** What a call gave. */
export interface McpCallOutcome {
  readonly isError: boolean;
  readonly content: readonly McpContent[];
  readonly structured?: unknown;
}

/** What goes with a call. */
export interface McpCallOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: { progress: number; total?: number; message?: string }) => void;
  readonly elicit?: (question: Question) => Promise<QuestionAnswer>;
}

/** What the owner of a connection is told. */
export interface McpListener {
  /** The server says that its tools are others now. */
  toolsChanged(): void;
  /** The connection is gone: closed, died, broken. Told once; every call under way has failed by then. */
  closed(why: FailureError | undefined): void;
  /** A line for the log of the workspace: of the server, or about it. */
  log(message: string): void;
}

/** A connection to a server that has shaken hands. */
export interface McpConnection {
  readonly server: { readonly name: string; readonly version: string };
  readonly protocol: string;
  readonly instructions?: string;
  /** All pages of them, within limits. */
  listTools(signal: AbortSignal): Promise<readonly McpDefinition[]>;
  /** Throws a failure where the protocol or the transport fails; a tool that fails is an outcome. */
  callTool(name: string, args: unknown, options: McpCallOptions): Promise<McpCallOutcome>;
  listResources(signal: AbortSignal): Promise<readonly McpResource[]>;
  readResource(uri: string, signal: AbortSignal): Promise<readonly McpResourceContent[]>;
  /** Ends it and, where the server is a program, waits until its processes are gone. */
  close(): Promise<void>;
}

/** Connects to servers. The one who knows the protocol. */
export interface McpConnector {
  connect(server: string, address: McpAddress, options: McpConnectOptions): Promise<McpConnection>;
  /** Ends what an earlier process of this workspace left running. */
  reap(): Promise<void>;
}

/** How a connection is made. */
export interface McpConnectOptions {
  readonly listener: McpListener;
  /** Gives up the attempt; once there is a connection, it says nothing about that. */
  readonly signal: AbortSignal;
  /** The protocol of the last connection, where it is known: spares a server that is asked what it does not know. */
  readonly lastProtocol?: string;
}
