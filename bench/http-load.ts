/**
 * Sends requests to a server, in a process of its own, so that its CPU time does not count: `http-load.ts URL TOKEN`. The
 * parent sends numbers of requests, and receives how many were answered as expected.
 */
import { Agent, request } from "node:http";

const [url = "", token = ""] = process.argv.slice(2);
const connections = 8;
const agent = new Agent({ keepAlive: true, maxSockets: connections });

/** Bodies of 64 different calls. */
const messages = Array.from({ length: 64 }, (_, at) => ({ text: `message ${at}`, list: [at, at + 1], deep: { at } }));
const bodies = messages.map((message) => JSON.stringify({ args: { message } }));
const outputs = messages.map((message) => `"output":${JSON.stringify({ message })}`);

process.on("message", (count: number) => {
  void send(count).then((answered) => process.send?.(answered));
});
process.on("disconnect", () => process.exit());
process.send?.("ready");

async function send(count: number): Promise<number> {
  let sent = 0;
  let answered = 0;
  const sendNext = async (): Promise<void> => {
    while (sent < count) {
      const at = sent++ & 63;
      if ((await call(bodies[at] ?? "")).includes(outputs[at] ?? "")) answered++;
    }
  };
  await Promise.all(Array.from({ length: connections }, sendNext));
  return answered;
}

function call(body: string): Promise<string> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const sending = request(`${url}/v1/tools/echo/call`, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve(response.statusCode === 200 ? text : ""));
    });
    sending.on("error", reject).end(body);
  });
}
