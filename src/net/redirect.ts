import { FailureError, isFailureError } from "../base/index.ts";
import type { AllowList } from "./allow-list.ts";
import type { CheckedHeaders } from "./check-headers.ts";
import { checkUrl } from "./check-url.ts";
import { netFailure } from "./net-reasons.ts";

/** One request on the wire; a redirect makes the next one. */
export interface RedirectHop {
  readonly url: URL;
  readonly method: string;
  readonly headers: CheckedHeaders;
  /** Names of headers that hold a secret, lower-case. They are not sent to another origin. */
  readonly secretHeaders?: ReadonlySet<string>;
  readonly body: string | Uint8Array | undefined;
}

/** The part of a response that decides about a redirect. */
export interface RedirectResponse {
  readonly status: number;
  readonly location: string | undefined;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Headers that may be sent to another origin. A list of harmless ones, not of secret ones: a credential can have any
 * name.
 */
const harmless: ReadonlySet<string> = new Set(
  (
    "accept accept-encoding accept-language cache-control content-language content-type if-modified-since " +
    "if-none-match range user-agent"
  ).split(" "),
);

/** Headers that describe a body. */
const aboutBody = /^content-/;

/** True if the response redirects the caller. */
export function isRedirect({ status, location }: RedirectResponse): boolean {
  return redirects.has(status) && location !== undefined && location !== "";
}

/** The request that follows a redirect, with every check repeated. */
export function nextRedirectHop(
  hop: RedirectHop,
  { status, location = "" }: RedirectResponse,
  allow: AllowList,
): RedirectHop {
  const url = checkedLocation(location, hop.url, allow);
  if (hop.url.protocol === "https:" && url.protocol === "http:") {
    throw netFailure(
      "https_downgrade",
      `${hop.url.host} redirects from https to http (${url.host}), which is not followed`,
    );
  }
  const toGet = becomesGet(status, hop.method);
  const body = toGet ? undefined : hop.body;
  const leaves = url.origin !== hop.url.origin;
  if (leaves && body !== undefined && body.length > 0) {
    throw netFailure(
      "cross_origin_body",
      `${hop.url.host} redirects to ${url.origin}, and the body for ${hop.url.origin} is not sent there; ` +
        "to send it, use that address directly",
    );
  }
  const mayLeave = (name: string): boolean => harmless.has(name) && hop.secretHeaders?.has(name) !== true;
  return {
    ...hop,
    url,
    method: toGet ? "GET" : hop.method,
    body,
    headers: filterHeaders(hop.headers, (name) => (!leaves || mayLeave(name)) && !(toGet && aboutBody.test(name))),
  };
}

function checkedLocation(location: string, base: URL, allow: AllowList): URL {
  // Header bytes arrive as Latin-1; servers that send more than ASCII mean UTF-8.
  const text = Buffer.from(location, "latin1").toString("utf8");
  try {
    return checkUrl(URL.parse(text, base.href)?.href ?? text, allow);
  } catch (error) {
    if (!isFailureError(error)) throw error;
    const { message, forModel, ...rest } = error.toFailure();
    const after = `${base.host} redirects: `;
    throw new FailureError(after + message, { ...rest, forModel: after + forModel });
  }
}

function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

function filterHeaders(headers: CheckedHeaders, test: (name: string) => boolean): CheckedHeaders {
  return new Map([...headers].filter(([name]) => test(name)));
}
