import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool, ok } from "../../tool/index.ts";
import { searchMs } from "./ask-provider.ts";
import type { ChatTurn } from "./chat-topics.ts";
import { refineQuery } from "./refine-query.ts";
import type { Search } from "./search.ts";
import type { SearchResult } from "./search-provider.ts";

/** What `web_search` takes. */
export interface WebSearchInput {
  readonly query: string;
  readonly count?: number;
  /** The same as `count`. */
  readonly max_results?: number;
  readonly chat_history?: readonly ChatTurn[];
  /** The same as `chat_history`. */
  readonly chatHistory?: readonly ChatTurn[];
}

/** What `web_search` gives. `results` is its only list, so that a chain can say `output[*].url`. */
export interface WebSearchOutput {
  readonly results: readonly SearchResult[];
  /** Who answered. */
  readonly provider: string;
  /** What was looked for, where the chat history made it another question. */
  readonly query?: string;
}

const number = { type: "integer", minimum: 1, maximum: 50 } as const;
const turns = {
  type: "array",
  maxItems: 200,
  items: {
    type: "object",
    properties: { role: { type: "string" }, content: { type: "string" } },
    required: ["role", "content"],
  },
} as const;

const outputSchema = fromJsonSchema<WebSearchOutput, WebSearchOutput>({
  type: "object",
  properties: {
    results: {
      type: "array",
      items: {
        type: "object",
        properties: { title: { type: "string" }, url: { type: "string" }, snippet: { type: "string" } },
        required: ["title", "url", "snippet"],
      },
    },
    provider: { type: "string" },
    query: { type: "string" },
  },
  required: ["results", "provider"],
});

/** `web_search`: addresses, titles and snippets for a question. */
export function webSearchTool({
  search,
}: {
  readonly search: Search;
}): Tool<WebSearchInput, WebSearchInput, WebSearchOutput> {
  return defineTool({
    name: "web_search",
    description:
      "Searches the web and gives { results: [{ title, url, snippet }], provider }. Use it for anything that is recent " +
      "or not known for certain; write the query as for a search engine, in the language of the best sources. Read a " +
      "result in full with web_fetch. An empty list means that nothing was found.",
    displayName: "Web search",
    category: "crawler",
    tags: ["web", "network", "search"],
    capabilities: ["search", "搜索"],
    aliases: ["webSearch", "search_web"],
    effect: "read",
    timeoutMs: searchMs,
    input: fromJsonSchema<WebSearchInput, WebSearchInput>({
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, maxLength: 2000, description: "What to look for." },
        count: { ...number, description: "How many results to give; 5 where absent." },
        max_results: { ...number, description: "Another name for count." },
        chat_history: {
          ...turns,
          description:
            "The last turns of the conversation. Where the query says it, they or the like, the topic of these turns " +
            "takes its place.",
        },
        chatHistory: { ...turns, description: "Another name for chat_history." },
      },
      required: ["query"],
      additionalProperties: false,
      examples: [
        { query: "tide tables", count: 3 },
        {
          query: "who built it",
          chat_history: [{ role: "user", content: "Tell me about the Eiffel Tower" }],
          max_results: 5,
        },
      ],
    }),
    output: outputSchema,
    run: async (args, { signal, callId }) => {
      const { count = args.max_results ?? 5, chat_history = args.chatHistory ?? [] } = args;
      const query = refineQuery(args.query, chat_history);
      const { results, provider, cached } = await search.search({ query, count, signal, call: callId });
      const output = { results, provider, ...(query !== args.query && { query }) };
      return cached ? ok(output, { meta: { fromSearchCache: true } }) : output;
    },
  });
}
