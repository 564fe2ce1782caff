import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";

/** A request of the chat-completions protocol, with the fields that tests read. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly temperature?: number;
  readonly response_format?: { readonly type: string; readonly json_schema?: unknown };
}

/** A received request. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: ChatRequest;
}

/** Response of the server: a text, an object as JSON text, a detailed response, an error status, or none. */
export type ServerAnswer =
  | string
  | { readonly text: string | null; readonly finish?: string; readonly refusal?: string; readonly usage?: null }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  | { readonly json: unknown }
  | { readonly hang: true };

/** A server that speaks the OpenAI protocol on loopback. */
export interface OpenAiServer {
  readonly baseUrl: string;
  /** For the allow-list of an HTTP client. */
  readonly host: string;
  readonly requests: readonly Received[];
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/**
 * Starts a server that answers by a script: a list, one response per request, or a function of the request. It is
 * closed after the test. Its default usage is 100 input and 50 output tokens.
 */
export async function openAiServer(
  script: readonly ServerAnswer[] | ((request: ChatRequest, index: number) => ServerAnswer),
): Promise<OpenAiServer> {
  const requests: Received[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      const body = JSON.parse(text) as ChatRequest;
      const index = requests.push({ path: request.url ?? "", headers: request.headers, body }) - 1;
      const answer = typeof script === "function" ? script(body, index) : script[index];
      send(response, body, answer ?? { status: 500, body: { error: { message: "the script has ended" } } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  closing.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return { baseUrl: `http://127.0.0.1:${port}/v1`, host: `127.0.0.1:${port}`, requests };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, request: ChatRequest, answer: ServerAnswer): void {
  if (typeof answer === "object" && "hang" in answer) return;
  if (typeof answer === "object" && "status" in answer) {
    const { status, headers = {}, body = { error: { message: `status ${status}` } } } = answer;
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
    return;
  }
  const detail =
    typeof answer === "string" ? { text: answer } : "json" in answer ? { text: JSON.stringify(answer.json) } : answer;
  if (request.stream === true) sendStream(response, request, detail);
  else sendWhole(response, request, detail);
}

interface Detail {
  readonly text: string | null;
  readonly finish?: string;
  readonly refusal?: string;
  readonly usage?: null;
}

const tokens = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };
const stamp = { id: "chatcmpl-1", created: 1_767_225_600 };

function sendWhole(response: ServerResponse, { model }: ChatRequest, detail: Detail): void {
  const { text, finish = "stop", refusal, usage } = detail;
  const message = { role: "assistant", content: text, ...(refusal !== undefined && { refusal }) };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({
      ...stamp,
      object: "chat.completion",
      model,
      choices: [{ index: 0, message, finish_reason: finish }],
      ...(usage !== null && { usage: tokens }),
    }),
  );
}

function sendStream(response: ServerResponse, { model }: ChatRequest, { text, finish = "stop", usage }: Detail): void {
  const event = (more: object): void => {
    response.write(`data: ${JSON.stringify({ ...stamp, object: "chat.completion.chunk", model, ...more })}\n\n`);
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  event({ choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] });
  for (const content of text?.match(/\S+\s*|\s+/g) ?? []) {
    event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
  }
  event({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  if (usage !== null) event({ choices: [], usage: tokens });
  response.end("data: [DONE]\n\n");
}
