import { toWireAuditEntry, toWireRecord, toWireStatistics } from "../../app/index.ts";
import { asWire } from "../request/as-wire.ts";
import { metricsOf } from "../request/engine-metrics.ts";
import { type Handlers, refusal } from "../request/handler.ts";
import { decodeCursor, encodeCursor } from "../request/page.ts";

/** Records of calls, and figures about them. */
export function recordRoutes(): Handlers<"list_records" | "get_record" | "get_stats" | "get_metrics"> {
  return {
    list_records: async ({ workspace, query }) => {
      const { conversation, since, until, limit = 50, ...same } = query;
      const { records, next } = await workspace.engine.records.query({
        ...same,
        limit,
        ...(conversation !== undefined && { conversationId: conversation }),
        ...(since !== undefined && { since: Date.parse(since) }),
        ...(until !== undefined && { until: Date.parse(until) }),
      });
      return { items: records.map((record) => asWire<"Record">(toWireRecord(record))), next_cursor: next ?? null };
    },
    get_record: async ({ workspace, params }) => {
      const { records } = await workspace.engine.records.query({ id: params.id, limit: 1 });
      const [record] = records;
      if (record === undefined) throw refusal("not_found", `there is no record ${JSON.stringify(params.id)}`);
      return asWire<"Record">(toWireRecord(record));
    },
    get_stats: async ({ workspace }) =>
      asWire<"Statistics">(toWireStatistics(await workspace.engine.records.statistics())),
    get_metrics: ({ workspace }) => metricsOf(workspace.engine),
  };
}

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
