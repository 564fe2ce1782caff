import type { JSONRPCErrorResponse } from "@modelcontextprotocol/client";
import type { FailureError } from "../../../base/index.ts";

/** Rides in the `data` of an error response made here; a server cannot make one. */
class LocalFailure {
  readonly failure: FailureError;

  constructor(failure: FailureError) {
    this.failure = failure;
  }
}

/** An answer to a request that the transport has to give itself, since the server's own will not come. */
export function failedResponse(id: string | number, failure: FailureError): JSONRPCErrorResponse {
  return { jsonrpc: "2.0", id, error: { code: -32_000, message: failure.message, data: new LocalFailure(failure) } };
}

/** The failure within an error that such an answer became. */
export function localFailure(error: unknown): FailureError | undefined {
  const data = typeof error === "object" && error !== null && "data" in error ? error.data : undefined;
  return data instanceof LocalFailure ? data.failure : undefined;
}
