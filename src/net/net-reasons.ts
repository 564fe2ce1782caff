import { type ReasonFailure, createReasonFailures } from "../base/index.ts";

/** Every reason for which the HTTP client fails a request. The network reference in the docs is generated from it. */
export const netReasons = {
  bad_url: { code: "validation_error", meaning: "The text is not a URL." },
  bad_scheme: { code: "validation_error", meaning: "The URL is neither http nor https." },
  url_credentials: { code: "validation_error", meaning: "The URL carries a user name or a password." },
  bad_method: { code: "validation_error", meaning: "The method is not an HTTP method that may be sent." },
  invalid_header: { code: "validation_error", meaning: "A header's name or value cannot be sent as it is." },
  forbidden_header: { code: "validation_error", meaning: "The header belongs to the connection, not to the caller." },
  bad_host: { code: "permission_denied", meaning: "The host's name belongs to a private network." },
  bad_port: { code: "permission_denied", meaning: "The port belongs to a service that does not speak HTTP." },
  ssrf_ip: { code: "permission_denied", meaning: "The URL names an address that is not public." },
  ssrf_dns: { code: "permission_denied", meaning: "The host's name leads to an address that is not public." },
  ssrf_peer: { code: "permission_denied", meaning: "The connection reached an address that was not checked before." },
  https_downgrade: { code: "permission_denied", meaning: "A redirect leads from https to http." },
  dns_failed: { code: "not_available", meaning: "The host's name could not be resolved." },
  connect_failed: { code: "not_available", meaning: "No connection could be made." },
  tls_failed: { code: "not_available", meaning: "The TLS handshake failed.", retry: "never" },
  reset: { code: "not_available", meaning: "The connection broke before the response was complete." },
  closed: { code: "not_available", meaning: "The HTTP client was closed.", retry: "never" },
  timeout: { code: "timeout", meaning: "The response was not complete in time." },
  aborted: { code: "cancelled", meaning: "The caller cancelled the request." },
  cross_origin_body: {
    code: "execution_error",
    meaning: "A redirect would send the body to another origin.",
    retry: "never",
  },
  too_many_redirects: { code: "execution_error", meaning: "There are too many redirects.", retry: "never" },
  bad_encoding: {
    code: "execution_error",
    meaning: "The body's content coding is unknown, stacked, or does not match the header.",
    retry: "never",
  },
  bad_response: { code: "execution_error", meaning: "The answer is not proper HTTP/1.1." },
  too_large: {
    code: "execution_error",
    meaning: "The response's headers, or the compressed form of its body, are too large.",
    retry: "never",
  },
} as const;

/** The name of one reason in {@link netReasons}. */
export type NetReason = keyof typeof netReasons;

/** A request's failure for this reason. */
export const netFailure: ReasonFailure<NetReason> = createReasonFailures(netReasons);
