import type { CommandSpec } from "./command-spec.ts";

/** Serves the workspace to MCP clients. */
export const mcpServe: CommandSpec = {
  name: "serve",
  summary: "serve the tools and chains to MCP clients",
  details:
    "Without --http it speaks the protocol on stdin and stdout, for a client that starts it, and ends when the client " +
    "does. With --http clients need a token: the one in WINDLASS_MCP_TOKEN, or one that is made up and printed. What the " +
    "rules of the workspace ask about is asked through the client, or waits for `windlass approve`; with `mcp: { approvals: " +
    "operator }` in windlass.yaml it always waits.",
  options: [
    { flags: "--http", about: "serve over HTTP instead" },
    { flags: "--host HOST", about: "where to listen; 127.0.0.1 where absent. Others need WINDLASS_MCP_TOKEN" },
    { flags: "--port N", about: "the port; 8808 where absent, 0 for a free one", atLeast: 0, whole: true },
    { flags: "--allow-host NAME", about: "also answer under this name", several: true },
    { flags: "--allow-origin URL", about: "let pages of this origin use it", several: true },
  ],
  examples: ["windlass mcp serve", "windlass mcp serve --http --port 8808", "windlass mcp serve -C my-project"],
  load: async () => (await import("./commands/mcp-serve.ts")).serveToClients,
};
