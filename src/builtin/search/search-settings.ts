import type { Door } from "../../net/index.ts";
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
export interface SearchFile {
  /** Which providers are asked, and in which order. */
  readonly providers?: readonly ProviderName[] | undefined;
  readonly searxng_url?: string | undefined;
  /** The name of a secret, never its value. */
  readonly brave_api_key?: string | undefined;
  readonly mediawiki_url?: string | undefined;
  /** A folder of texts. */
  readonly corpus?: string | undefined;
  readonly duckduckgo?: boolean | undefined;
  /** How a wiki may reach whoever runs this, as large wikis ask for. */
  readonly user_agent?: string | undefined;
}

/** Where {@link openProviders} looks. */
export interface SearchSources {
  readonly door: Door;
  readonly file?: SearchFile | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The value of a secret by its name. */
  readonly secret?: (name: string) => string | undefined;
  readonly index?: TextIndex;
}

/** The providers in the order in which they are asked. */
export interface OpenedProviders {
  readonly providers: readonly SearchProvider[];
  /** Resolves `corpus:` addresses. */
  readonly corpus: Corpus;
}

/** A private instance first, then keys that somebody pays for, then what is free; the corpus when all else is missing. */
const usualOrder: readonly ProviderName[] = ["searxng", "brave", "mediawiki", "duckduckgo", "corpus"];

/**
 * The providers that a workspace and its environment name, the environment first. One that lacks a setting is there all
 * the same and says what it needs.
 *
 * @example
 * ```ts
 * const { providers, corpus } = openProviders({ door, env: process.env });
 * const search = createSearch({ providers });
 * ```
 */
export function openProviders({ door, file = {}, env, secret, index }: SearchSources): OpenedProviders {
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
      door,
      baseUrl: of("searxng") ?? file.searxng_url,
      missing: needs("searxng", "searxng_url"),
    }),
    brave: braveProvider({ door, apiKey: of("brave") ?? key, missing: needs("brave", "brave_api_key") }),
    mediawiki: mediawikiProvider({
      door,
      apiUrl: of("mediawiki") ?? file.mediawiki_url,
      userAgent: file.user_agent,
      missing: needs("mediawiki", "mediawiki_url"),
    }),
    duckduckgo: duckduckgoProvider({
      door,
      enabled: isOn(of("duckduckgo")) ?? file.duckduckgo === true,
      missing: [`${searchVariables.duckduckgo}=1 (or search.duckduckgo: true in windlass.yaml)`],
    }),
    corpus: corpus.provider,
  };
  return { providers: (file.providers ?? usualOrder).map((name) => byName[name]), corpus };
}

function isOn(value: string | undefined): boolean | undefined {
  return value === undefined ? undefined : /^(?:1|true|yes|on)$/i.test(value);
}
