/** The names of the built-in tools, for whoever has to know them without the tools. */
export const builtinToolNames: readonly string[] = ["calculator", "echo", "http_request"];
