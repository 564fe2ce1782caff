/**
 * A handwritten server of the older protocol version over stdio: `node plain-server.ts [MODE]`. Its tools simulate the
 * failures of servers; its modes simulate failures before a tool can be called.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

type Message = Readonly<Record<string, unknown>>;

const mode = process.argv[2] ?? "good";
const answers = new Map<unknown, (message: Message) => void>();
let requested = 0;
let listed = 0;

function send(message: Message): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function text(id: unknown, content: string): void {
  // The result first and the id last, as many servers write it.
  send({ result: { content: [{ type: "text", text: content }] }, id });
}

const schema = { type: "object", properties: {} };
const tools: Readonly<Record<string, (id: unknown, args: Message) => void>> = {
  echo: (id, { message }) => text(id, String(message)),
  /** Also writes a line to its log. */
  say: (id, { message }) => {
    process.stderr.write(`${String(message)}\n`);
    text(id, "said");
  },
  environment: (id) => text(id, JSON.stringify(process.env)),
  folder: (id) => text(id, process.cwd()),
  slow: (id, { ms }) => void setTimeout(() => text(id, "done"), Number(ms)),
  /** Never answers, and reports if it was cancelled. */
  hang: () => {},
  big: (id, { bytes }) => text(id, `"id": 1, ${"x".repeat(Number(bytes))}`),
  flood: (id) => {
    const notes = `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "flood" } })}\n`;
    const more = (): void => void process.stdout.write(notes.repeat(500), more);
    more();
    setTimeout(() => text(id, "flooded"), 100);
  },
  /** Pauses after a number of messages, so that the reader catches up. */
  burst: (id, { count }) => {
    process.stdout.write('{"jsonrpc":"2.0","method":"notifications/other"}\n'.repeat(Number(count)), () =>
      text(id, "burst"),
    );
  },
  strange: (id) => {
    process.stdout.write(
      'this is no message\n{"jsonrpc":"1.0"}\n[]\n[1,2]\n{\n\n{"jsonrpc":"2.0","id":999,"result":{}}\n',
    );
    process.stdout.write('{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}\n{"jsonrpc":"2.0"}\n"text"\n');
    text(id, "still there");
  },
  refuse: (id, { code }) => send({ id, error: { code, message: "this is \u001b[31mrefused\u202e" } }),
  nothing: (id) => send({ id, result: { content: "none" } }),
  odd: (id) =>
    send({ id, result: { content: [{ type: "hologram" }, { type: "text" }, 3, { type: "text", text: "known" }] } }),
  ask: (id, { first = true }) => {
    const prompt = ++requested;
    answers.set(`q${prompt}`, ({ result, error }) => text(id, JSON.stringify(result ?? error)));
    const requestedSchema = {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer", default: 3 } },
    };
    const params = { message: "Where \u202eto?", requestedSchema, ...(first === false && { mode: "url" }) };
    send({ id: `q${prompt}`, method: "elicitation/create", params });
  },
  sample: (id) => {
    answers.set("s", ({ result, error }) => text(id, JSON.stringify(result ?? error)));
    send({ id: "s", method: "sampling/createMessage", params: { messages: [], maxTokens: 5 } });
  },
  change: (id) => {
    for (let count = 0; count < 50; count++) send({ method: "notifications/tools/list_changed" });
    text(id, "changed");
  },
  progress: (id, { _meta }) => {
    const { progressToken } = (_meta ?? {}) as Message;
    for (const progress of [1, 2, 3]) {
      send({
        method: "notifications/progress",
        params: { progressToken, progress, total: 3, message: `step ${progress}` },
      });
    }
    text(id, "done");
  },
  exit: () => process.exit(7),
  /** Leaves another process running: in its group, or in a separate one. */
  leave: (id, { detached = false }) => {
    const left = spawn(process.execPath, ["-e", "process.on('SIGTERM',()=>{});setInterval(()=>{},1000)"], {
      stdio: "ignore",
      detached: detached === true,
    });
    text(id, String(left.pid));
  },
};

function list(params: Message): Message {
  if (mode === "endless-list")
    return { tools: [{ name: `t${++listed}`, inputSchema: schema }], nextCursor: `${listed}` };
  if (mode === "same-cursor") return { tools: [], nextCursor: "again" };
  const broken = mode === "broken-list" ? [{ name: "unfit" }, 5, { inputSchema: schema }] : [];
  const all = [...Object.keys(tools).map((name) => ({ name, inputSchema: schema })), ...broken];
  return params["cursor"] === undefined ? { tools: all.slice(0, 3), nextCursor: "3" } : { tools: all.slice(3) };
}

function shakeHands(id: unknown, { protocolVersion }: Message): void {
  const capabilities = { tools: { listChanged: true } };
  if (mode === "refuses") send({ id, error: { code: -32_000, message: "not today" } });
  else if (mode === "unknown-version")
    send({ id, result: { protocolVersion: "1999-01-01", capabilities, serverInfo } });
  else send({ id, result: { protocolVersion, capabilities, serverInfo, instructions } });
}

function call(id: unknown, params: Message): void {
  const tool = tools[String(params["name"])];
  if (tool === undefined) send({ id, error: { code: -32_602, message: "unknown tool" } });
  else tool(id, { ...(params["arguments"] as Message), _meta: params["_meta"] });
}

function unknown(id: unknown): void {
  if (mode === "dies") process.exit(1);
  if (id !== undefined && mode !== "ignores") send({ id, error: { code: -32_601, message: "Method not found" } });
}

function receive(message: Message): void {
  const { id, method } = message;
  const params = (message["params"] ?? {}) as Message;
  if (method === undefined) answers.get(id)?.(message);
  else if (method === "initialize") shakeHands(id, params);
  else if (method === "tools/list") send({ id, result: list(params) });
  else if (method === "tools/call") call(id, params);
  else if (method === "notifications/initialized") return;
  else if (method === "notifications/cancelled") process.stderr.write(`cancelled: ${JSON.stringify(params)}\n`);
  else unknown(id);
}

const instructions = "Ask\u202e first.";
const serverInfo = { name: "plain", version: "1.0" };
if (mode === "exits") {
  process.stderr.write("cannot read the settings\nbye\n");
  process.exit(3);
}
if (mode === "banner") process.stdout.write("Welcome!\n\n{ listening on stdio }\n");
if (mode === "noisy") setInterval(() => process.stderr.write("noise ".repeat(5_000) + "\n".repeat(500)), 1);
if (mode === "stubborn") {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1_000);
}
if (mode === "deaf") setInterval(() => {}, 1_000);
else {
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => mode !== "silent" && receive(JSON.parse(line) as Message));
  if (mode === "silent") setInterval(() => {}, 1_000);
  else if (mode !== "stubborn") lines.on("close", () => process.exit(0));
}
