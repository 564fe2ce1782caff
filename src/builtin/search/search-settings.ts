import type { HttpClient } from "../../net/index.ts";
import type { TextIndex } from "../../store/index.ts";
import { braveProvider } from "./brave-provider.ts";
import { type Corpus, createCorpus } from "./corpus-provider.ts";
import { duckduckgoProvider } from "./duckduckgo-provider.ts";
import { mediawikiProvider } from "./mediawiki-provider.ts";
import type { SearchProvider } from "./search-provider.ts";
import { searxngProvider } from "./searxng-provider.ts";

/** The environment variables that set up search. */
export const searchVariables = {
  searxng: "WINDLASS_SEARXNG_URL",
  brave: "WINDLASS_BRAVE_API_KEY",
  mediawiki: "WINDLASS_MEDIAWIKI_URL",
  corpus: "WINDLASS_CORPUS",
  duckduckgo: "WINDLASS_DUCKDUCKGO",
} as const;

/** The name of a provider that comes with Windlass. */
export type ProviderName = keyof typeof searchVariables;

/** `search:` of a `windlass.yaml`. */
export interface SearchSettingsFile {
  /** Search providers, in order of preference. */
  readonly providers?: readonly ProviderName[] | undefined;
  readonly searxng_url?: string | undefined;
  /** The name of a secret, never its value. */
  readonly brave_api_key?: string | undefined;
  readonly mediawiki_url?: string | undefined;
  /** A folder of texts. */
  readonly corpus?: string | undefined;
  readonly duckduckgo?: boolean | undefined;
  /** Contact in the User-Agent header, which large wikis require. */
  readonly user_agent?: string | undefined;
}

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
const defaultProviderOrder: readonly ProviderName[] = ["searxng", "brave", "mediawiki", "duckduckgo", "corpus"];

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
