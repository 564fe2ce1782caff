import { createRedactor } from "../../secrets/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import { modelFailure } from "../port/model-reasons.ts";
import { EmptyModelResponse } from "../errors/classify-model-error.ts";

/** The server whose responses are checked. */
interface ModelServerInfo {
  /** `the model "qwen3"`. */
  readonly label: string;
  readonly baseUrl: string;
  /** Pattern that matches every complete response of its API. */
  readonly marks: RegExp;
  /** A key that no report about a response may repeat. */
  readonly secret?: string | undefined;
}

/**
 * A `fetch` that fails if a successful response does not come from a model server, such as the page of its web
 * interface: the base URL is most likely wrong, and a retry would not help. If a model server returns nothing, or
 * reports an error with a success status, as busy ones do, it throws {@link EmptyModelResponse}.
 */
export function modelServerFetch(inner: typeof fetch, server: ModelServerInfo): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    const { body, status, headers } = response;
    if (status >= 300) return response;
    const type = headers.get("content-type")?.split(";", 1)[0]?.trim() || "no content type";
    const noAnswer = (text: string, received: string): Error => explainAnswer(server, { status, type, text, received });
    if (body === null) throw noAnswer("", "an empty body");
    if (isStreamRequest(input, init)) {
      const events = body.pipeThrough(untilFirstEvent((text) => noAnswer(text, "no event")));
      return new Response(events, { status, headers });
    }
    const text = await response.text();
    if (!server.marks.test(text)) throw noAnswer(text, "no model response");
    return new Response(text, { status, headers });
  };
}

/** Decided by the request: not every server sets the content type of a stream. */
function isStreamRequest(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): boolean {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  if (pathname.endsWith(":streamGenerateContent")) return true;
  if (typeof init?.body !== "string") return false;
  const request: unknown = JSON.parse(init.body);
  return typeof request === "object" && request !== null && "stream" in request && request.stream === true;
}

/** Maximum length of retained non-event text, used to identify it. */
const maxRetained = 65_536;
const event = /(?:^|[\r\n])data:/;
/** The beginning of a page; it cannot be a stream. */
const page = /^\uFEFF?\s*</;
/** The beginning of JSON, or of an event stream. */
const data = /^\uFEFF?\s*(?:[[{"]|null\s*$|:|(?:data|event|id|retry):)/;

/** Passes everything through; fails if it begins as a page, or ends without a single event. */
function untilFirstEvent(noEvent: (text: string) => Error): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let text: string | undefined = "";
  return new TransformStream({
    transform(bytes, controller) {
      controller.enqueue(bytes);
      if (text === undefined) return;
      text += decoder.decode(bytes, { stream: true });
      if (event.test(text)) text = undefined;
      else if (page.test(text)) throw noEvent(text);
      // The end is retained as well: an event may begin there.
      else if (text.length > maxRetained) text = text.slice(0, maxRetained / 2) + text.slice(-maxRetained / 4);
    },
    flush() {
      if (text !== undefined) throw noEvent(text);
    },
  });
}

function explainAnswer(
  { label, baseUrl, secret }: ModelServerInfo,
  answered: { readonly status: number; readonly type: string; readonly text: string; readonly received: string },
): Error {
  const { status, type, text } = answered;
  const isEmpty = text.trim() === "";
  const received = page.test(text) ? "a web page" : isEmpty ? "an empty body" : answered.received;
  const content = errorInBody(text);
  const words = content === undefined ? "" : `: ${createRedactor(secret === undefined ? [] : [secret]).text(content)}`;
  const [address, details] = [addressOf(baseUrl), `(${status}, ${type}, ${received}${words})`];
  if (isEmpty || data.test(text)) {
    return new EmptyModelResponse(
      `${label} at ${address} returned no model response ${details}; retry, and check the base URL if it happens again`,
    );
  }
  const message = `the server for ${label} at ${address} is not a model server ${details}; check the base URL`;
  return modelFailure("wrong_address", message);
}

/** Some servers report an error with a success status. */
function errorInBody(text: string): string | undefined {
  const found = /"(?:message|error|detail)"\s*:\s*"((?:[^"\\]|\\.){1,200})/.exec(text.slice(0, maxRetained))?.[1];
  return found === undefined ? undefined : stripUnsafe(found).replaceAll(/\s+/g, " ").trim();
}

/** Without a user, a password or a key in it. */
function addressOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname}`;
}
