import { createRedactor, stripUnsafe } from "../../text/index.ts";
import { modelFailure } from "../model-reasons.ts";
import { NoAnswer } from "./no-answer.ts";

/** Whose answers are looked at. */
export interface AnsweringServer {
  /** `the model "qwen3"`. */
  readonly who: string;
  readonly baseUrl: string;
  /** What every whole answer of its API has in it. */
  readonly marks: RegExp;
  /** A key that nothing told of an answer may repeat. */
  readonly secret?: string | undefined;
}

/**
 * A `fetch` that fails where something answers well that is no server of models, such as the page of its web interface:
 * the base URL is most likely wrong, and asking again would not help. Where a server of models gives nothing, or tells of
 * an error with the status of a success, as busy ones do, it throws {@link NoAnswer}.
 */
export function answeringFetch(inner: typeof fetch, server: AnsweringServer): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    const { body, status, headers } = response;
    if (status >= 300) return response;
    const type = headers.get("content-type")?.split(";", 1)[0]?.trim() || "no content type";
    const noAnswer = (text: string, what: string): Error => explainAnswer(server, { status, type, text, what });
    if (body === null) throw noAnswer("", "an empty body");
    if (asksForStream(input, init)) {
      const events = body.pipeThrough(untilFirstEvent((text) => noAnswer(text, "no event")));
      return new Response(events, { status, headers });
    }
    const text = await response.text();
    if (!server.marks.test(text)) throw noAnswer(text, "no answer of a model");
    return new Response(text, { status, headers });
  };
}

/** Goes by the question: not every server gives a stream its content type. */
function asksForStream(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): boolean {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  if (pathname.endsWith(":streamGenerateContent")) return true;
  if (typeof init?.body !== "string") return false;
  const question: unknown = JSON.parse(init.body);
  return typeof question === "object" && question !== null && "stream" in question && question.stream === true;
}

/** So much of what is no event is kept, to tell what it was. */
const mostKept = 65_536;
const event = /(?:^|[\r\n])data:/;
/** What begins like this is a page, and no stream. */
const page = /^\uFEFF?\s*</;
/** What begins like this is JSON, or a stream of events. */
const data = /^\uFEFF?\s*(?:[[{"]|null\s*$|:|(?:data|event|id|retry):)/;

/** Passes everything on; fails where it begins as a page, or ends without a single event. */
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
      // The end is kept as well: an event may begin there.
      else if (text.length > mostKept) text = text.slice(0, mostKept / 2) + text.slice(-mostKept / 4);
    },
    flush() {
      if (text !== undefined) throw noEvent(text);
    },
  });
}

/** What answered. */
interface Answered {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly what: string;
}

function explainAnswer({ who, baseUrl, secret }: AnsweringServer, answered: Answered): Error {
  const { status, type, text } = answered;
  const isEmpty = text.trim() === "";
  const what = page.test(text) ? "a web page" : isEmpty ? "an empty body" : answered.what;
  const said = saidIn(text);
  const words = said === undefined ? "" : `: ${createRedactor(secret === undefined ? [] : [secret]).text(said)}`;
  const [address, came] = [addressOf(baseUrl), `(${status}, ${type}, ${what}${words})`];
  if (isEmpty || data.test(text)) {
    return new NoAnswer(
      `${who} at ${address} gave no answer ${came}; ask again, and check the base URL where it happens again`,
    );
  }
  const message = `what answers for ${who} at ${address} is no server of models ${came}; check the base URL`;
  return modelFailure("wrong_address", message);
}

/** Some servers tell of an error with the status of a success. */
function saidIn(text: string): string | undefined {
  const found = /"(?:message|error|detail)"\s*:\s*"((?:[^"\\]|\\.){1,200})/.exec(text.slice(0, mostKept))?.[1];
  return found === undefined ? undefined : stripUnsafe(found).replaceAll(/\s+/g, " ").trim();
}

/** Without a user, a password or a key that may stand in it. */
function addressOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname}`;
}
