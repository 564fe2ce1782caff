import type { JSONRPCErrorResponse } from "@modelcontextprotocol/client";
import type { FailureError } from "../../../base/index.ts";

/** Carried in the `data` of an error response created here; a server cannot create one. */
class LocalFailure {
  readonly failure: FailureError;

  constructor(failure: FailureError) {
    this.failure = failure;
  }
}

/** A response that the transport creates itself, since the server's own will not arrive. */
export function failedResponse(id: string | number, failure: FailureError): JSONRPCErrorResponse {
  return { jsonrpc: "2.0", id, error: { code: -32_000, message: failure.message, data: new LocalFailure(failure) } };
}

/** The failure within the error that such a response became. */
export function localFailure(error: unknown): FailureError | undefined {
  const data = typeof error === "object" && error !== null && "data" in error ? error.data : undefined;
  return data instanceof LocalFailure ? data.failure : undefined;
}
