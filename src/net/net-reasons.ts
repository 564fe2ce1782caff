import { type ReasonFailure, type ReasonTable, createReasonTable, createReasonFailures } from "../base/index.ts";

const netGroups = {
  validation_error: {
    bad_url: "The text is not a URL.",
    bad_scheme: "The URL is neither http nor https.",
    url_credentials: "The URL carries a user name or a password.",
    bad_method: "The method is not an HTTP method that may be sent.",
    invalid_header: "A header's name or value cannot be sent as it is.",
    forbidden_header: "The header belongs to the connection, not to the caller.",
  },
  permission_denied: {
    bad_host: "The host's name belongs to a private network.",
    bad_port: "The port belongs to a service that does not speak HTTP.",
    ssrf_ip: "The URL names an address that is not public.",
    ssrf_dns: "The host's name leads to an address that is not public.",
    ssrf_peer: "The connection reached an address that was not checked before.",
    https_downgrade: "A redirect leads from https to http.",
  },
  not_available: {
    dns_failed: "The host's name could not be resolved.",
    connect_failed: "No connection could be made.",
    reset: "The connection broke before the response was complete.",
  },
  "not_available, never": {
    tls_failed: "The TLS handshake failed.",
    closed: "The HTTP client was closed.",
  },
  timeout: { timeout: "The response was not complete in time." },
  cancelled: { aborted: "The caller cancelled the request." },
  "execution_error, never": {
    cross_origin_body: "A redirect would send the body to another origin.",
    too_many_redirects: "There are too many redirects.",
    bad_encoding: "The body's content coding is unknown, stacked, or does not match the header.",
    too_large: "The response's headers, or the compressed form of its body, are too large.",
  },
  execution_error: { bad_response: "The answer is not proper HTTP/1.1." },
} as const;

/** Every reason for which the HTTP client fails a request. The network reference in the docs is generated from it. */
export const netReasons: ReasonTable<typeof netGroups> = createReasonTable(netGroups);

/** The name of one reason in {@link netReasons}. */
export type NetReason = keyof typeof netReasons;

/** A request's failure for this reason. */
export const netFailure: ReasonFailure<NetReason> = createReasonFailures(netReasons);
