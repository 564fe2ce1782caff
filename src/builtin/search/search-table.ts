import type { FileOf } from "../../schema/index.ts";

/** Settings of `search:` in `windlass.yaml`. */
export const searchTable = {
  providers: {
    type: "list",
    choices: ["searxng", "brave", "mediawiki", "duckduckgo", "corpus"],
    about: "Search providers, in order of preference.",
  },
  searxng_url: {
    type: "text",
    needsTrust: true,
    format: "url",
    variable: "WINDLASS_SEARXNG_URL",
    about: "URL of a SearXNG instance.",
  },
  brave_api_key: {
    type: "text",
    format: "secret",
    variable: "WINDLASS_BRAVE_API_KEY",
    about: "Name of the secret with the key of the Brave Search API.",
  },
  mediawiki_url: {
    type: "text",
    needsTrust: true,
    format: "url",
    variable: "WINDLASS_MEDIAWIKI_URL",
    about: "URL of the api.php of a MediaWiki.",
  },
  corpus: {
    type: "text",
    format: "folder",
    contents: { name: "texts", use: "searched" },
    variable: "WINDLASS_CORPUS",
    about: "Folder of texts in the workspace, for offline search.",
  },
  duckduckgo: {
    type: "flag",
    defaultText: "false",
    variable: "WINDLASS_DUCKDUCKGO",
    about: "Search with DuckDuckGo's HTML page.",
  },
  user_agent: { type: "text", about: "User agent with your contact details, which large wikis require." },
} as const;

/** `search:` of a `windlass.yaml`. */
export interface SearchSettingsFile extends FileOf<typeof searchTable> {}
