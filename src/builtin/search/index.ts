export { type BraveOptions, braveProvider } from "./brave-provider.ts";
export { type Corpus, type CorpusOptions, createCorpus } from "./corpus-provider.ts";
export { type DuckduckgoOptions, duckduckgoProvider } from "./duckduckgo-provider.ts";
export { type MediawikiOptions, mediawikiProvider } from "./mediawiki-provider.ts";
export {
  type SearchService,
  type SearchResponse,
  type SearchOptions,
  type SearchRequest,
  createSearch,
} from "./search.ts";
export type { SearchProvider, SearchQuery, SearchResult } from "./search-provider.ts";
export { type SearchReason, searchFailure } from "./search-reasons.ts";
export {
  type OpenedProviders,
  type ProviderName,
  type SearchSources,
  openProviders,
  searchVariables,
} from "./search-settings.ts";
export { type SearxngOptions, searxngProvider } from "./searxng-provider.ts";
export { webSearchTool } from "./web-search-tool.ts";
export type { SearchSettingsFile } from "./search-table.ts";
