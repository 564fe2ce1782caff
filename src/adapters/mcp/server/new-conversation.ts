import { nodeCrypto } from "../../../base/index.ts";

/**
 * Creates an id for the calls of one client over one connection or session. It is not a session id: it appears in
 * records, whose readers must not be able to act as the client.
 */
export function newConversation(): string {
  return `mcp-${nodeCrypto().randomBytes(12).toString("base64url")}`;
}
