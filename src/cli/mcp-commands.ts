import type { CommandSpec } from "./command-spec.ts";
import { jsonOption as json } from "./json-option.ts";
import { mcpServe } from "./mcp-serve-command.ts";

const server = { name: "SERVER", about: "the name of the server in mcp.json" } as const;
const yes = { flags: "-y, --yes", about: "do not ask" } as const;

/** `windlass mcp`. */
export const mcp: CommandSpec = {
  name: "mcp",
  summary: "use the tools of MCP servers, and serve tools to MCP clients",
  commands: [
    {
      name: "list",
      summary: "list the MCP servers (also: windlass mcp)",
      // Words that are no command end up here and are answered with a suggestion.
      args: [{ name: "WORD", about: "", optional: true, several: true }],
      details: "Shows what is known from the files and from earlier connections; nothing is started without --connect.",
      options: [{ flags: "--connect", about: "connect to each of them and list their tools" }, json],
      examples: ["windlass mcp", "windlass mcp list --connect"],
      load: async () => (await import("./commands/mcp-list.ts")).listServers,
    },
    {
      name: "add",
      summary: "write a server into mcp.json",
      details:
        "After -- comes the command line that starts it, word by word; no shell is involved. Name packages with their " +
        "exact version. For keys write ${secret.NAME}, with NAME under `secrets` of windlass.yaml.",
      args: [
        { name: "NAME", about: "what it is called; its tools are NAME/TOOL" },
        { name: "COMMAND", about: "the program and its arguments, after --", optional: true, several: true },
      ],
      options: [
        { flags: "--url URL", about: "a server elsewhere, instead of a command" },
        { flags: "--env KEY=VALUE", about: "an environment variable of the program", several: true },
        { flags: "--header KEY=VALUE", about: "an HTTP header, with --url", several: true },
        yes,
      ],
      examples: [
        "windlass mcp add files -- npx -y @modelcontextprotocol/server-filesystem@2026.8.31 .",
        "windlass mcp add docs --url https://docs.example.com/mcp",
      ],
      load: async () => (await import("./commands/mcp-add.ts")).addMcpServer,
    },
    {
      name: "remove",
      summary: "take a server out of mcp.json, and forget what was approved of it and the login",
      args: [server],
      examples: ["windlass mcp remove files"],
      load: async () => (await import("./commands/mcp-remove.ts")).removeMcpServer,
    },
    {
      name: "approve",
      summary: "show what changed about a server or one of its tools, and approve it",
      details:
        "Connects to the server. Tools that are new, that are described otherwise than before, or whose server is " +
        "started otherwise, are refused until they are approved.",
      args: [{ name: "SERVER[/TOOL]", about: "a server, or one of its tools" }],
      options: [yes, json],
      examples: ["windlass mcp approve files", "windlass mcp approve files/write_file"],
      load: async () => (await import("./commands/mcp-approve.ts")).approveServer,
    },
    {
      name: "login",
      summary: "log in to a server that asks for it",
      args: [server],
      options: [
        { flags: "--port N", about: "where the browser comes back to; any free port", atLeast: 1, whole: true },
      ],
      examples: ["windlass mcp login docs"],
      load: async () => (await import("./commands/mcp-login.ts")).logIn,
    },
    {
      name: "logout",
      summary: "forget the login to a server",
      args: [server],
      examples: ["windlass mcp logout docs"],
      load: async () => (await import("./commands/mcp-logout.ts")).logOut,
    },
    mcpServe,
  ],
};
