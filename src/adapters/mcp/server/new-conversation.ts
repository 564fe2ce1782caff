import { nodeCrypto } from "../../../base/index.ts";

/**
 * Names what one client does over one connection or session. It is no session id: it stands in records, and who reads
 * those may not speak for the client.
 */
export function newConversation(): string {
  return `mcp-${nodeCrypto().randomBytes(12).toString("base64url")}`;
}
