import { toWireAuditEntry } from "../../app/index.ts";
import { asWire } from "../request/as-wire.ts";
import { type Handlers, refusal } from "../request/handler.ts";
import { decodeCursor, encodeCursor } from "../request/page.ts";

/** The audit log. */
export function auditRoutes(): Handlers<"list_audit"> {
  return {
    list_audit: async ({ workspace, query }) => {
      const { action, by, target, since, limit = 50, cursor } = query;
      const found = await workspace.audit.list({
        limit: limit + 1,
        ...(action !== undefined && { action }),
        ...(by !== undefined && { by }),
        ...(target !== undefined && { target }),
        ...(since !== undefined && { since: Date.parse(since) }),
        ...(cursor !== undefined && { before: numberOf(cursor) }),
      });
      const items = found.slice(0, limit);
      const last = found.length > limit ? items.at(-1) : undefined;
      return {
        items: items.map((entry) => asWire<"AuditEntry">(toWireAuditEntry(entry))),
        next_cursor: last === undefined ? null : encodeCursor(String(last.number)),
      };
    },
  };
}

function numberOf(cursor: string): number {
  const number = Number(decodeCursor(cursor));
  if (Number.isSafeInteger(number)) return number;
  throw refusal("bad_request", "the cursor is not one that a list returned");
}
