/** A server of the newer protocol version over stdio, made with the SDK: `node modern-server.ts`. */
import { Server, inputRequired } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const inputSchema = { type: "object" as const };

serveStdio(
  () => {
    const server = new Server(
      { name: "modern", version: "2.0" },
      { capabilities: { tools: { listChanged: true } }, instructions: "Be kind." },
    );
    server.setRequestHandler("tools/list", () => ({
      tools: ["echo", "ask", "ask_forever", "sample", "hang", "change"].map((name) => ({ name, inputSchema })),
    }));
    server.setRequestHandler("tools/call", async ({ params }, ctx) => {
      const text = (text: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(text) }] });
      switch (params.name) {
        case "ask": {
          const answer = ctx.mcpReq.inputResponses?.["city"];
          if (answer !== undefined) return text({ answer, state: ctx.mcpReq.requestState() });
          return inputRequired({
            inputRequests: {
              city: {
                method: "elicitation/create",
                params: {
                  mode: "form",
                  message: "Where to?",
                  requestedSchema: {
                    type: "object",
                    properties: { city: { type: "string" }, days: { type: "integer", default: 3 } },
                  },
                },
              },
            },
            requestState: "kept",
          });
        }
        case "ask_forever":
          return inputRequired({ requestState: "again" });
        case "sample":
          return inputRequired({
            inputRequests: {
              model: { method: "sampling/createMessage", params: { messages: [], maxTokens: 5 } },
            },
          });
        case "hang":
          return new Promise((resolve) =>
            ctx.mcpReq.signal.addEventListener("abort", () => {
              process.stderr.write("stopped\n");
              resolve(text("stopped"));
            }),
          );
        case "change":
          await server.sendToolListChanged();
          return text("changed");
        default:
          return text(params.arguments);
      }
    });
    return server;
  },
  { legacy: "reject" },
);
