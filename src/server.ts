/**
 * The HTTP server over a workspace: `windlass/server`. `windlass serve` sets it up; use this module to mount it in another
 * server, or in a test without a port.
 *
 * @packageDocumentation
 */
export {
  type AccessLogEntry,
  type ScopedToken,
  type Server,
  type ServerOptions,
  createServer,
  formatAccess,
} from "./server/index.ts";
