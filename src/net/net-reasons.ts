import { type ReasonFailure, failuresFor } from "../base/index.ts";

/** Every reason for which the outbound door fails a request. The network reference in the docs is generated from it. */
export const netReasons = {
  bad_url: { code: "validation_error", means: "The text is no URL." },
  bad_scheme: { code: "validation_error", means: "The URL is neither http nor https." },
  url_credentials: { code: "validation_error", means: "The URL carries a user name or a password." },
  bad_method: { code: "validation_error", means: "The method is no HTTP method that may be sent." },
  invalid_header: { code: "validation_error", means: "A header's name or value cannot be sent as it is." },
  forbidden_header: { code: "validation_error", means: "The header belongs to the connection, not to the caller." },
  bad_host: { code: "permission_denied", means: "The host's name belongs to a private network." },
  bad_port: { code: "permission_denied", means: "The port belongs to a service that does not speak HTTP." },
  ssrf_ip: { code: "permission_denied", means: "The URL names an address that is not public." },
  ssrf_dns: { code: "permission_denied", means: "The host's name leads to an address that is not public." },
  ssrf_peer: { code: "permission_denied", means: "The connection reached an address that was not checked before." },
  https_downgrade: { code: "permission_denied", means: "A redirect leads from https to http." },
  dns_failed: { code: "not_available", means: "The host's name could not be resolved." },
  connect_failed: { code: "not_available", means: "No connection could be made." },
  tls_failed: { code: "not_available", means: "The TLS handshake failed.", retry: "never" },
  reset: { code: "not_available", means: "The connection broke before the response was complete." },
  closed: { code: "not_available", means: "The door was closed.", retry: "never" },
  timeout: { code: "timeout", means: "The response was not complete in time." },
  aborted: { code: "cancelled", means: "The caller cancelled the request." },
  cross_origin_body: {
    code: "execution_error",
    means: "A redirect asks to send the body to another origin.",
    retry: "never",
  },
  too_many_redirects: { code: "execution_error", means: "The redirects do not come to an end.", retry: "never" },
  bad_encoding: {
    code: "execution_error",
    means: "The body's content coding is unknown, stacked, or not what the header says.",
    retry: "never",
  },
  bad_response: { code: "execution_error", means: "The answer is not proper HTTP/1.1." },
  too_large: {
    code: "execution_error",
    means: "The response's headers, or the compressed form of its body, are too large.",
    retry: "never",
  },
} as const;

/** The name of one reason in {@link netReasons}. */
export type NetReason = keyof typeof netReasons;

/** A request's failure for this reason. */
export const refuse: ReasonFailure<NetReason> = failuresFor(netReasons);
