import { join } from "node:path";
import { createMcpToolServer } from "../../src/adapters/mcp/server/mcp-tool-server.ts";
import type { McpPromptProvider, McpResourceProvider } from "../../src/adapters/mcp/server/mcp-providers.ts";
import { openWorkspace } from "../../src/app/index.ts";
import { clientTools } from "./client-tools.ts";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

const resources: McpResourceProvider = {
  list: () => [
    { uri: "test://static-text", name: "Static text", description: "A text.", mimeType: "text/plain" },
    { uri: "test://static-binary", name: "Static binary", description: "An image.", mimeType: "image/png" },
    { uri: "test://watched-resource", name: "Watched", description: "A text that may change.", mimeType: "text/plain" },
  ],
  templates: () => [
    {
      uriTemplate: "test://template/{id}/data",
      name: "Template",
      description: "Data by id.",
      mimeType: "application/json",
    },
  ],
  read: async (uri) => {
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id !== undefined) {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return [{ uri, mimeType: "application/json", text }];
    }
    switch (uri) {
      case "test://static-text":
        return [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }];
      case "test://static-binary":
        return [{ uri, mimeType: "image/png", blob: pixel }];
      case "test://watched-resource":
        return [{ uri, mimeType: "text/plain", text: "This may change." }];
      default:
        return undefined;
    }
  },
  watch: () => () => {},
};

const user = <Content>(content: Content) => ({ role: "user" as const, content });
const messageText = (text: string) => user({ type: "text" as const, text });
const argument = (name: string) => ({ name, description: `The ${name}.`, required: true });

/** Prompts, and a way to say that they are others now. */
function prompting(): { prompts: McpPromptProvider; change: () => void } {
  const reported = new Set<() => void>();
  const prompts: McpPromptProvider = {
    list: () => [
      { name: "test_simple_prompt", description: "A text." },
      {
        name: "test_prompt_with_arguments",
        description: "Two values.",
        arguments: [argument("arg1"), argument("arg2")],
      },
      { name: "test_prompt_with_embedded_resource", description: "A file.", arguments: [argument("resourceUri")] },
      { name: "test_prompt_with_image", description: "An image." },
      { name: "test_input_required_result_prompt", description: "Asks first." },
    ],
    get: async (name, args, { elicit }) => {
      switch (name) {
        case "test_simple_prompt":
          return { messages: [messageText("This is a simple prompt for testing.")] };
        case "test_prompt_with_arguments":
          return { messages: [messageText(`Prompt with arguments: arg1='${args["arg1"]}', arg2='${args["arg2"]}'`)] };
        case "test_prompt_with_embedded_resource": {
          const text = "Embedded resource content for testing.";
          const resource = { uri: args["resourceUri"] ?? "", mimeType: "text/plain", text };
          return {
            messages: [
              user({ type: "resource" as const, resource }),
              messageText("Please process the embedded resource above."),
            ],
          };
        }
        case "test_prompt_with_image":
          return {
            messages: [
              user({ type: "image" as const, data: pixel, mimeType: "image/png" }),
              messageText("Please analyze the image above."),
            ],
          };
        case "test_input_required_result_prompt": {
          const schema = { type: "object", properties: { context: { type: "string" } }, required: ["context"] };
          const answer = await elicit({ message: "What context should the prompt use?", schema }, "user_context");
          return { messages: [messageText(`With ${JSON.stringify(answer)}`)] };
        }
        default:
          return undefined;
      }
    },
    complete: (_prompt, { value }) => ["paris", "park", "party"].filter((each) => each.startsWith(value)),
    watch: (changed) => {
      reported.add(changed);
      return () => void reported.delete(changed);
    },
  };
  return { prompts, change: () => reported.forEach((changed) => changed()) };
}

/** The server that the protocol's conformance suite runs against: the fixture workspace, with resources and prompts. */
export async function startFixture() {
  const { prompts, change } = prompting();
  const workspace = await openWorkspace(join(import.meta.dirname, "fixture-workspace"), {
    store: "memory",
    reload: false,
    onLog: (entry) => serving.onLog(entry),
  });
  for (const tool of clientTools(workspace.engine, change)) workspace.engine.tools.register(tool);
  const serving = createMcpToolServer({
    engine: workspace.engine,
    approvals: workspace.approvals,
    name: "windlass-fixture",
    version: "1.0.0",
    resources,
    prompts,
  });
  const http = await serving.http();
  return {
    ...http,
    close: async () => {
      await serving.close();
      await workspace.close();
    },
  };
}
