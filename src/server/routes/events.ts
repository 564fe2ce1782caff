import { type StreamTopic, isStreamTopic } from "../../api/index.ts";
import type { StoredRun } from "../../store/index.ts";
import type { EventHub } from "../events/event-hub.ts";
import { Subscription } from "../events/subscription.ts";
import { type Handlers, type ServerRequest, refusal } from "../request/handler.ts";

const maxTopics = 100;

/** Live events. */
export function eventRoutes(hub: EventHub): Handlers<"stream_events"> {
  return {
    stream_events: async (request) => {
      const { workspace, query, headers, signal, disconnect } = request;
      if (hub.isClosed) throw refusal("shutting_down", "the server is shutting down; connect again later");
      const topics = topicsOf(request);
      const runs = await Promise.all(topics.filter(isRunTopic).map((topic) => requireRun(request, topic.slice(4))));
      const untilEnd = query.until === "end";
      if (untilEnd && runs.length === 0)
        throw refusal("bad_request", "until=end needs the topic of a run, such as run:ID");
      const after = query.after ?? headers.get("last-event-id") ?? undefined;
      const subscription = new Subscription(hub, workspace, { topics, runs, after, untilEnd, disconnect });
      return new Response(subscription.open(signal), { headers: streamHeaders });
    },
  };
}

/** Headers of a response with server-sent events. */
export const streamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  // For nginx, which else collects the events.
  "x-accel-buffering": "no",
} as const;

function topicsOf({ query, caller }: ServerRequest<"stream_events">): StreamTopic[] {
  const names = new Set((query.topics ?? "").split(",").filter((name) => name !== ""));
  if (names.size === 0) throw refusal("bad_request", "name the topics: ?topics=runs,approvals or ?topics=run:ID");
  if (names.size > maxTopics) throw refusal("bad_request", `a stream has at most ${maxTopics} topics`);
  return Array.from(names, (name) => {
    if (!isStreamTopic(name))
      throw refusal(
        "bad_request",
        `${JSON.stringify(name.slice(0, 100))} is not a topic; topics are runs, run:ID, approvals, calls and metrics`,
      );
    if (caller.runId !== undefined && name !== `run:${caller.runId}`)
      throw refusal("forbidden", "this token opens one run only");
    return name;
  });
}

function isRunTopic(topic: StreamTopic): topic is `run:${string}` {
  return topic.startsWith("run:");
}

async function requireRun({ workspace }: ServerRequest<"stream_events">, id: string): Promise<StoredRun> {
  const [run] = await workspace.runs.list({ id, limit: 1 });
  if (run !== undefined) return run;
  throw refusal("run_not_found", `there is no run ${JSON.stringify(id)}; GET /v1/runs lists the runs`);
}
