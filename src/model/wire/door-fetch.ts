import { type Door, type HttpResponse } from "../net/index.ts";
import { modelFailure } from "./model-reasons.ts";

/** An answer of a model is text; more than this is a mistake. */
const mostBytes = 16 * 2 ** 20;

/** How {@link doorFetch} fetches. */
export interface FetchOptions {
  readonly timeoutMs: number;
  /** A key that no error of a server may repeat. */
  readonly secret?: string | undefined;
}

/** `fetch`, as a model's client wants it, through the one outbound door. The body is whole before the client sees it. */
export function doorFetch(door: Door, { timeoutMs, secret }: FetchOptions): typeof fetch {
  return async (input, init = {}) => {
    const url = typeof input === "string" ? input : input instanceof URL ? input.href : input.url;
    const response = await door.request({
      url,
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers ?? {})),
      ...(typeof init.body === "string" && { body: init.body }),
      timeoutMs,
      maxBytes: mostBytes,
      ...(init.signal instanceof AbortSignal && { signal: init.signal }),
    });
    if (response.truncated) {
      throw modelFailure(
        "provider_error",
        `the answer of ${new URL(url).host} is larger than ${mostBytes / 2 ** 20} MiB`,
        {
          retry: "never",
        },
      );
    }
    return toResponse(response.status < 400 ? response : withoutSecret(response, secret));
  };
}

/** Statuses that have no body, by the rules of `fetch`. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function toResponse({ status, headers, body }: HttpResponse): Response {
  const texts = Object.entries(headers).flatMap(([name, value]) =>
    // The body is decoded, so what described its coding would be wrong now.
    typeof value === "string" && !/^content-(?:encoding|length)$/.test(name) ? [[name, value] as [string, string]] : [],
  );
  // The bytes are the door's own copy.
  return new Response(bodiless.has(status) ? null : (body as Uint8Array<ArrayBuffer>), { status, headers: texts });
}

/** Some servers quote the key that they do not accept. */
function withoutSecret(response: HttpResponse, secret: string | undefined): HttpResponse {
  if (secret === undefined || secret === "") return response;
  const text = new TextDecoder().decode(response.body);
  return { ...response, body: new TextEncoder().encode(text.replaceAll(secret, "[redacted]")) };
}
