import type { ProgressNotification } from "./call-progress.ts";
import type { ClientCapabilities, InputRequest, ServerContext } from "./sdk.ts";

/** Options of a request to a client. */
export interface ClientRequestOptions {
  /** Identifies the request among those of one call. */
  readonly key: string;
  /** True if a client may have answered it, under this key, before it was sent. */
  readonly early?: boolean;
  readonly signal?: AbortSignal;
}

/** The channel from a call to the client that made it, for any protocol version. */
export interface ClientLink {
  readonly capabilities: ClientCapabilities | undefined;
  /** Resolves with the client's response, which is not validated. */
  request(request: InputRequest, options: ClientRequestOptions): Promise<unknown>;
  /** Ends the client's request with this protocol error, if the protocol version supports it. */
  refuse?(error: Error): void;
  /** True if the client may want progress notifications. */
  readonly wantsProgress: boolean;
  /** Dropped if the client does not listen at the moment. */
  progress(progress: ProgressNotification): void;
  log(message: string, data: unknown, logger: string): void;
}

/** Users may take long to answer. */
const maxAnswerMs = 3_600_000;

/** The link of protocol version 2025: the client receives a request while its own is in flight. */
export function createPushLink({ mcpReq }: ServerContext, capabilities: ClientCapabilities | undefined): ClientLink {
  return {
    capabilities,
    wantsProgress: mcpReq._meta?.progressToken !== undefined,
    // Aborting it notifies the client that the response is no longer needed.
    request: ({ method, params }, { signal }) =>
      mcpReq.send(
        { method, ...(params !== undefined && { params: { ...params } }) },
        { timeout: maxAnswerMs, ...(signal !== undefined && { signal }) },
      ),
    ...notificationsFor(() => mcpReq),
  };
}

type ClientNotifications = Pick<ClientLink, "progress" | "log">;

/** Notifications to a client beside one of its requests; none are sent without a request. */
export function notificationsFor(request: () => ServerContext["mcpReq"] | undefined): ClientNotifications {
  // A disconnected client receives nothing; the call does not fail.
  const quietly = (sent: Promise<void> | undefined): void => void sent?.catch(() => undefined);
  return {
    progress: (progress) => {
      const under = request();
      const progressToken = under?._meta?.progressToken;
      if (progressToken === undefined) return;
      quietly(under?.notify({ method: "notifications/progress", params: { ...progress, progressToken } }));
    },
    log: (message, data, logger) =>
      quietly(request()?.log("info", data === undefined ? message : { message, data }, logger)),
  };
}
