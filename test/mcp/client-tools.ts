import { type Engine, defineTool, fromJsonSchema } from "../../src/index.ts";
import { type ServedClient, servedClient } from "../../src/adapters/mcp/server/served-client.ts";
import type { AnyTool } from "../../src/tool/index.ts";

/** The client that the tool runs for, which accepts requests. */
function client(): ServedClient {
  const found = servedClient();
  if (found === undefined) throw new Error("this tool has to be called by an MCP client");
  return found;
}

const elicit = (property: string, message: string, key: string) =>
  client().elicit(
    {
      message,
      schema: {
        type: "object",
        properties: { [property]: { type: property === "ok" ? "boolean" : "string" } },
        required: [property],
      },
    },
    { key },
  );

const sample = (text: string, key?: string) =>
  client().sample(
    { messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 100 },
    key === undefined ? {} : { key },
  );

function tool(name: string, run: (args: Record<string, unknown>) => Promise<unknown>, more: object = {}): AnyTool {
  return defineTool({ name, description: `${name}.`, effect: "read", timeoutMs: 60_000, run, ...more });
}

const input = fromJsonSchema({ type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] });

/** Tools of the conformance suite that make requests to their client, or change what is served. */
export function clientTools(engine: Engine, changePrompts: () => void): AnyTool[] {
  let changes = 0;
  return [
    tool("test_sampling", async ({ prompt }) => `LLM response: ${JSON.stringify(await sample(String(prompt)))}`, {
      input,
    }),
    tool("test_missing_capability", async () => sample("Anybody there?")),
    tool("test_input_required_result_elicitation", async () => {
      const answer = await elicit("name", "What is your name?", "user_name");
      return answer.action === "accept" ? `Hello, ${String(answer.content["name"])}!` : "Hello, stranger!";
    }),
    tool("test_input_required_result_sampling", async () =>
      sample("What is the capital of France?", "capital_question"),
    ),
    tool("test_input_required_result_list_roots", async () => client().roots({ key: "client_roots" })),
    tool("test_input_required_result_request_state", async () => {
      await elicit("ok", "Please confirm", "confirm");
      return "state-ok";
    }),
    tool("test_input_required_result_multiple_inputs", async () =>
      Promise.all([
        elicit("name", "What is your name?", "user_name"),
        sample("Generate a greeting", "greeting"),
        client().roots({ key: "client_roots" }),
      ]),
    ),
    tool("test_input_required_result_multi_round", async () => [
      await elicit("name", "Step 1: What is your name?", "step1"),
      await elicit("color", "Step 2: What is your favorite color?", "step2"),
    ]),
    tool("test_input_required_result_tampered_state", async () => elicit("ok", "Please confirm", "confirm")),
    tool("test_input_required_result_capabilities", async () =>
      client().canElicit ? elicit("ok", "Please confirm", "confirm") : sample("Say something", "anything"),
    ),
    tool("test_trigger_tool_change", async () => {
      engine.tools.register(tool("test_changing_tool", async () => ++changes, { description: `Change ${++changes}.` }));
      return "changed";
    }),
    tool("test_trigger_prompt_change", async () => {
      changePrompts();
      return "changed";
    }),
  ];
}
