/**
 * SQLite, MCP client and server, LangChain, AI SDK, OpenTelemetry.
 *
 * Belongs here: all code that knows a database, a protocol or another framework. It implements ports of `store/` and
 * `hub/`, or converts tools and models.
 *
 * Must stay true: a package is loaded when it is first used (`load-adapters.ts`), never by an import of `windlass`.
 * Every store passes the suites in `test/conformance`, including processes that are killed. A database has one writer,
 * in a worker thread; a newer database is refused. Calls of other frameworks go through the engine.
 *
 * Test: `npm run vitest -- run src/adapters test/conformance test/mcp`
 */

export * from "./sqlite/index/rebuildable-database.ts";
export * from "./sqlite/index/open-index.ts";
export * from "./sqlite/journal/open-read-only.ts";
export * from "./sqlite/journal/open-sqlite.ts";
export type * from "./sqlite/journal/sqlite-store.ts";
export * from "./sqlite/memory/memory-store.ts";
export * from "./sqlite/pages/page-cache.ts";
export * from "./sqlite/index/text-index.ts";
export type * from "./mcp/server/mcp-tool-server.ts";
export type * from "./mcp/server/output-view.ts";
export type * from "./mcp/server/mcp-providers.ts";
export type * from "./mcp/server/http-endpoint.ts";
export type * from "./mcp/server/http-sessions.ts";
export type * from "./mcp/server/serve-http.ts";
export type * from "./mcp/server/serve-stdio.ts";
export type * from "./mcp/client/connector.ts";
export type * from "./mcp/client/mcp-limits.ts";
export * from "./load-adapters.ts";
export type * from "./otel/trace-engine.ts";
