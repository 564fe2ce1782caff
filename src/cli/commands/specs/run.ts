import { type CommandGroup, type CommandSpec, events, json } from "../../program/command-spec.ts";

const run: CommandSpec = {
  name: "run",
  remote: true,
  summary: "run a chain and print its output",
  details:
    "Progress goes to stderr. Values are parsed as JSON if the input does not take a string and the value is valid JSON. " +
    "Runs are durable: after a crash, `windlass resume` continues where the run stopped. If an approval is needed, the " +
    "command exits with code 3 and `windlass approve` resumes the run.",
  args: [
    { name: "CHAIN", about: "name of the chain, or path of its file", completes: "chain" },
    { name: "key=value", about: "input", optional: true, several: true, completes: "input" },
  ],
  options: [
    { flags: "-i KEY=VALUE", about: "input; same as key=value without -i", several: true, completes: "input" },
    { flags: "--input JSON", about: "input as a JSON object; @FILE reads a file, - reads stdin" },
    {
      flags: "--context KEY=VALUE",
      about: "value of ${context.KEY}; parsed as JSON if it is valid JSON",
      several: true,
    },
    { flags: "--run-id ID", about: "id of the run; repeating the same id, chain, input and context joins that run" },
    { flags: "--dry-run", about: "call only read-only tools, and list the other calls" },
    { ...json, about: "print the execution log" },
    events,
  ],
  examples: [
    'windlass run research-chain query="tide mills"',
    "windlass run chains/report.yaml -i depth=3 --json",
    "windlass run send-mail --input @mail.json --dry-run",
  ],
  load: async () => (await import("../run/run.ts")).runCommand,
};

const call: CommandSpec = {
  name: "call",
  remote: true,
  summary: "call a tool and print its output",
  details:
    "Values are parsed as JSON if the parameter does not take a string and the value is valid JSON; otherwise they are " +
    "strings. Prints the output as JSON; --json prints the whole result, including failures. Every call is recorded.",
  args: [
    { name: "TOOL", about: "the tool's name", completes: "tool" },
    { name: "key=value", about: "arguments", optional: true, several: true, completes: "parameter" },
  ],
  options: [
    { flags: "--args JSON", about: "arguments as a JSON object; @FILE reads a file, - reads stdin" },
    { flags: "--timeout SECONDS", about: "timeout in seconds; overrides the tool's own", min: 0.001, max: 86_400 },
    {
      flags: "--retries N",
      about: "maximum number of retries after failures that are safe to retry",
      min: 0,
      whole: true,
    },
    { flags: "--conversation ID", about: "record the call under this conversation" },
    json,
  ],
  examples: [
    'windlass call calculator expression="2*(3+4)"',
    "windlass call http_request url=https://example.com --timeout 5",
    `windlass call echo --args '{"message": {"any": ["JSON"]}}' --json`,
  ],
  load: async () => (await import("../call/run.ts")).callTool,
};

const chains: CommandSpec = {
  name: "chains",
  summary: "list chains with their inputs, effects and missing tools, or show one",
  commands: [
    {
      name: "list",
      summary: "list the chains (also: windlass chains)",
      // Unknown subcommands are parsed as words of this command, which suggests the right one.
      args: [{ name: "WORD", about: "", optional: true, several: true }],
      options: [json],
      examples: ["windlass chains"],
      load: async () => (await import("../chains/run.ts")).showChains,
    },
    {
      name: "show",
      summary: "show a chain: its inputs, steps and an example",
      args: [{ name: "NAME", about: "name of the chain", completes: "chain" }],
      options: [json],
      examples: ["windlass chains show research-chain"],
      load: async () => (await import("../chains/run.ts")).showChain,
    },
  ],
};

const toolName = { name: "NAME", about: "name of the tool", completes: "tool" } as const;

const tools: CommandSpec = {
  name: "tools",
  summary: "list, search and describe the available tools",
  commands: [
    {
      name: "list",
      remote: true,
      summary: "list the tools (also: windlass tools)",
      // Unknown subcommands are parsed as words of this command, which suggests the right one.
      args: [{ name: "WORD", about: "", optional: true, several: true }],
      options: [
        { flags: "--category NAME", about: "only tools of this category" },
        { flags: "--tag NAME", about: "only tools with this tag" },
        {
          flags: "--source NAME",
          about: "only tools of this source: tools, chains, skills, mcps, builtin, or an MCP server",
        },
        { flags: "--mine", about: "only the tools, chains and skills of the workspace" },
        json,
      ],
      examples: ["windlass tools", "windlass tools --mine", "windlass tools --category http --json"],
      load: async () => (await import("../tools/list.ts")).listTools,
    },
    {
      name: "show",
      summary: "show a tool: description, parameters and an example call",
      args: [toolName],
      options: [json],
      examples: ["windlass tools show calculator"],
      load: async () => (await import("../tools/show.ts")).showTool,
    },
    {
      name: "search",
      remote: true,
      summary: "search tools by purpose, in English or Chinese",
      args: [{ name: "QUERY", about: "search terms", several: true }],
      options: [{ flags: "--limit N", about: "maximum number of results (default: 20)", min: 1, whole: true }, json],
      examples: ["windlass tools search send a request", "windlass tools search 查询天气 --limit 3"],
      load: async () => (await import("../tools/list.ts")).searchTools,
    },
    {
      name: "capabilities",
      summary: "list capabilities (call one as capability:NAME), their tools and their strategy",
      options: [json],
      examples: ["windlass tools capabilities"],
      load: async () => (await import("../tools/list.ts")).listCapabilities,
    },
    {
      name: "schema",
      summary: "print tools in the format of a model provider",
      args: [{ ...toolName, about: "one tool (default: all enabled tools)", optional: true }],
      options: [
        {
          flags: "--format FORMAT",
          about: "output format (default: openai)",
          choices: ["openai", "anthropic", "gemini", "mcp"],
        },
      ],
      examples: ["windlass tools schema calculator --format anthropic", "windlass tools schema > tools.json"],
      load: async () => (await import("../tools/show.ts")).printToolSchema,
    },
  ],
};

const skills: CommandSpec = {
  name: "skills",
  summary: "list and validate the skills of the workspace",
  commands: [
    {
      name: "list",
      summary: "list the skills (also: windlass skills)",
      // Unknown subcommands are parsed as words of this command, which suggests the right one.
      args: [{ name: "WORD", about: "", optional: true, several: true }],
      options: [json],
      examples: ["windlass skills", "windlass skills --json"],
      load: async () => (await import("../skills/run.ts")).listSkills,
    },
    {
      name: "validate",
      summary: "validate skills against the SKILL.md format",
      details:
        "Violations of the format are errors, recommendations are warnings. Loading is more lenient: a usable skill is loaded " +
        "with warnings.",
      args: [
        {
          name: "DIR",
          about: "a skill, or a folder of skills (default: the skills of the workspace)",
          optional: true,
          several: true,
          completes: "folder",
        },
      ],
      options: [json],
      examples: ["windlass skills validate", "windlass skills validate skills/weekly-report --json"],
      load: async () => (await import("../skills/run.ts")).checkSkills,
    },
  ],
};

const server = { name: "SERVER", about: "name of the server in mcp.json" } as const;
const yes = { flags: "-y, --yes", about: "do not prompt for confirmation" } as const;

const mcpServe: CommandSpec = {
  name: "serve",
  summary: "serve the tools and chains to MCP clients",
  details:
    "Without --http, serves over stdio for a client that starts it, and exits with the client. With --http, clients need " +
    "a bearer token: WINDLASS_MCP_TOKEN, or a generated one that is printed. Calls that need approval are elicited from " +
    "the client or stay pending for `windlass approve`; with `mcp: { approvals: operator }` in windlass.yaml they always " +
    "stay pending.",
  options: [
    {
      flags: "--tools GLOB",
      about: "offer these tools and chains, such as 'price_*' or '*' (default: the workspace's own)",
      several: true,
    },
    { flags: "--http", about: "serve over HTTP instead of stdio" },
    {
      flags: "--host HOST",
      about: "address to listen on (default: 127.0.0.1); any other address requires WINDLASS_MCP_TOKEN",
    },
    { flags: "--port N", about: "port to listen on; 0 for any free port (default: 8808)", min: 0, whole: true },
    { flags: "--allow-host NAME", about: "also accept requests for this host name", several: true },
    { flags: "--allow-origin URL", about: "also accept requests from web pages of this origin", several: true },
  ],
  examples: [
    "windlass mcp serve",
    "windlass mcp serve --tools 'price_*' --tools calculator",
    "windlass mcp serve --http --port 8808",
    "windlass mcp serve -C my-project",
  ],
  load: async () => (await import("../mcp/serve.ts")).serveToClients,
};

const mcp: CommandSpec = {
  name: "mcp",
  summary: "use the tools of MCP servers, and serve tools to MCP clients",
  commands: [
    {
      name: "list",
      summary: "list the MCP servers (also: windlass mcp)",
      // Unknown subcommands are parsed as words of this command, which suggests the right one.
      args: [{ name: "WORD", about: "", optional: true, several: true }],
      details: "Shows what the files and earlier connections contain; servers are only started with --connect.",
      options: [{ flags: "--connect", about: "connect to each server and list its tools" }, json],
      examples: ["windlass mcp", "windlass mcp list --connect"],
      load: async () => (await import("../mcp/list.ts")).listServers,
    },
    {
      name: "add",
      summary: "add a server to mcp.json",
      details:
        "The command that starts the server follows --, word by word; no shell is involved. Pin packages to an exact version. " +
        "At a terminal, the server is connected, and its tools are shown for approval. " +
        "For keys write ${secret.NAME}, with NAME under `secrets` of windlass.yaml.",
      args: [
        { name: "NAME", about: "name of the server; its tools are called NAME/TOOL" },
        { name: "COMMAND", about: "the program and its arguments, after --", optional: true, several: true },
      ],
      options: [
        { flags: "--url URL", about: "address of a remote server, instead of a command" },
        { flags: "--env KEY=VALUE", about: "environment variable of the program", several: true },
        { flags: "--header KEY=VALUE", about: "HTTP header, with --url", several: true },
        yes,
      ],
      examples: [
        "windlass mcp add files -- npx -y @modelcontextprotocol/server-filesystem@2026.8.31 .",
        "windlass mcp add docs --url https://docs.example.com/mcp",
      ],
      load: async () => (await import("../mcp/add.ts")).addMcpServer,
    },
    {
      name: "remove",
      summary: "remove a server from mcp.json, with its approvals and login",
      args: [server],
      examples: ["windlass mcp remove files"],
      load: async () => (await import("../mcp/add.ts")).removeMcpServer,
    },
    {
      name: "approve",
      summary: "review changes of a server or one of its tools, and approve them",
      details:
        "Connects to the server. New or changed tools, and all tools of a server with a changed command or address, are " +
        "rejected until they are approved.",
      args: [{ name: "SERVER[/TOOL]", about: "a server, or one of its tools" }],
      options: [yes, json],
      examples: ["windlass mcp approve files", "windlass mcp approve files/write_file"],
      load: async () => (await import("../mcp/approve.ts")).approveServer,
    },
    {
      name: "login",
      summary: "log in to a server that requires it",
      args: [server],
      options: [
        { flags: "--port N", about: "port of the OAuth redirect (default: any free port)", min: 1, whole: true },
      ],
      examples: ["windlass mcp login docs"],
      load: async () => (await import("../mcp/login.ts")).logIn,
    },
    {
      name: "logout",
      summary: "remove the login to a server",
      args: [server],
      examples: ["windlass mcp logout docs"],
      load: async () => (await import("../mcp/login.ts")).logOut,
    },
    mcpServe,
  ],
};

/** The group "Run" of the help. */
export const runGroup: CommandGroup = { title: "Run", commands: [run, call, chains, tools, skills, mcp] };
