import type { Progress } from "./call-progress.ts";
import type { ClientCapabilities, InputRequest, ServerContext } from "./sdk.ts";

/** How a client is asked something. */
export interface AskOptions {
  /** Names the question among those of one call. */
  readonly key: string;
  /** A client may have answered it, under this key, before it was asked. */
  readonly early?: boolean;
  readonly signal?: AbortSignal;
}

/** The way from a call to the client that made it, whatever the era of the protocol. */
export interface ClientLink {
  readonly capabilities: ClientCapabilities | undefined;
  /** Resolves with the client's answer, which nobody has checked. */
  ask(request: InputRequest, options: AskOptions): Promise<unknown>;
  /** Ends the client's request with this error of the protocol, in the era that has it. */
  refuse?(error: Error): void;
  /** May it want to hear how far the work is? */
  readonly wantsProgress: boolean;
  /** Dropped where the client does not listen right now. */
  progress(progress: Progress): void;
  log(message: string, data: unknown, logger: string): void;
}

/** People take their time. */
const longestAnswerMs = 3_600_000;

/** The link of the 2025 era: the client is sent a request while its own is under way. */
export function pushingLink({ mcpReq }: ServerContext, capabilities: ClientCapabilities | undefined): ClientLink {
  return {
    capabilities,
    wantsProgress: mcpReq._meta?.progressToken !== undefined,
    // Aborted, it tells the client that nobody waits for the answer any more.
    ask: ({ method, params }, { signal }) =>
      mcpReq.send(
        { method, ...(params !== undefined && { params: { ...params } }) },
        { timeout: longestAnswerMs, ...(signal !== undefined && { signal }) },
      ),
    ...tellingOf(() => mcpReq),
  };
}

type Telling = Pick<ClientLink, "progress" | "log">;

/** What is told to a client beside a request of its own; nothing where there is none. */
export function tellingOf(request: () => ServerContext["mcpReq"] | undefined): Telling {
  // A client that went away hears nothing, which is no fault of the call.
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
