import type { HttpClient } from "../../net/index.ts";
import type { TextIndex } from "../../store/index.ts";
import { braveProvider } from "./brave-provider.ts";
import { type Corpus, createCorpus } from "./corpus-provider.ts";
import { duckduckgoProvider } from "./duckduckgo-provider.ts";
import { mediawikiProvider } from "./mediawiki-provider.ts";
import type { SearchProvider } from "./search-provider.ts";
import { searxngProvider } from "./searxng-provider.ts";
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

/** The name of a provider that comes with Windlass. */
export type ProviderName = (typeof searchTable.providers.choices)[number];

/** The environment variables that set up search. */
export const searchVariables: Readonly<Record<ProviderName, string>> = {
  searxng: searchTable.searxng_url.variable,
  brave: searchTable.brave_api_key.variable,
  mediawiki: searchTable.mediawiki_url.variable,
  corpus: searchTable.corpus.variable,
  duckduckgo: searchTable.duckduckgo.variable,
};

/** Sources of settings for {@link openProviders}. */
export interface SearchSources {
  readonly http: HttpClient;
  readonly file?: SearchSettingsFile | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The value of a secret by its name. */
  readonly secret?: (name: string) => string | undefined;
  readonly index?: TextIndex;
}

/** The configured providers in order of preference. */
export interface OpenedProviders {
  readonly providers: readonly SearchProvider[];
  /** Resolves `corpus:` addresses. */
  readonly corpus: Corpus;
}

/** A private instance first, then providers with a paid key, then free ones; the corpus is the last resort. */
const defaultProviderOrder: readonly ProviderName[] = searchTable.providers.choices;

/**
 * The providers of a workspace and its environment, where the environment takes precedence. A provider that lacks a
 * setting is included and reports what it needs.
 *
 * @example
 * ```ts
 * const { providers, corpus } = openProviders({ http, env: process.env });
 * const search = createSearch({ providers });
 * ```
 */
export function openProviders({ http, file = {}, env, secret, index }: SearchSources): OpenedProviders {
  const of = (name: ProviderName): string | undefined => {
    const variable = searchVariables[name];
    const value = Object.hasOwn(env, variable) ? env[variable]?.trim() : undefined;
    return value === "" ? undefined : value;
  };
  const needs = (name: ProviderName, key: string): readonly string[] => [
    `${searchVariables[name]} (or search.${key} in windlass.yaml)`,
  ];
  const key = file.brave_api_key === undefined ? undefined : secret?.(file.brave_api_key);
  const corpus = createCorpus({
    folder: of("corpus") ?? file.corpus,
    missing: needs("corpus", "corpus"),
    ...(index !== undefined && { index }),
  });
  const byName: Readonly<Record<ProviderName, SearchProvider>> = {
    searxng: searxngProvider({
      http,
      baseUrl: of("searxng") ?? file.searxng_url,
      missing: needs("searxng", "searxng_url"),
    }),
    brave: braveProvider({ http, apiKey: of("brave") ?? key, missing: needs("brave", "brave_api_key") }),
    mediawiki: mediawikiProvider({
      http,
      apiUrl: of("mediawiki") ?? file.mediawiki_url,
      userAgent: file.user_agent,
      missing: needs("mediawiki", "mediawiki_url"),
    }),
    duckduckgo: duckduckgoProvider({
      http,
      enabled: isOn(of("duckduckgo")) ?? file.duckduckgo === true,
      missing: [`${searchVariables.duckduckgo}=1 (or search.duckduckgo: true in windlass.yaml)`],
    }),
    corpus: corpus.provider,
  };
  return { providers: (file.providers ?? defaultProviderOrder).map((name) => byName[name]), corpus };
}

function isOn(value: string | undefined): boolean | undefined {
  return value === undefined ? undefined : /^(?:1|true|yes|on)$/i.test(value);
}
