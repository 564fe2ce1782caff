import { orElse } from "../../base/index.ts";
import { type TextDocument, type TextIndex, createInMemoryTextIndex } from "../../store/index.ts";
import type { SearchProvider } from "./search-provider.ts";

/** Options of {@link createCorpus}. */
export interface CorpusOptions {
  /** The folder; without it the provider is not configured. */
  readonly folder?: string | undefined;
  /** Full-text index of the corpus. Default: in memory. */
  readonly index?: TextIndex;
  /** Names of the settings to set, for messages. */
  readonly missing?: readonly string[];
}

/** A folder of texts that replaces the web, without any network. */
export interface Corpus {
  readonly provider: SearchProvider;
  /** Resolves an address such as `corpus:tides.md`, for `web_fetch`. */
  readonly resolve: (address: string) => Promise<{ readonly title: string; readonly text: string } | undefined>;
}

const collection = "corpus";

/**
 * Makes a folder of Markdown, text and HTML files searchable: `corpus:<path>` addresses, which {@link Corpus.resolve}
 * reads. The files are read once, at the first search.
 *
 * @example
 * ```ts
 * const corpus = createCorpus({ folder: "examples/corpus" });
 * const pages = createPageReader({ http, resolvers: { corpus: corpus.resolve } });
 * ```
 */
export function createCorpus({ folder, index, missing = ["folder"] }: CorpusOptions): Corpus {
  let loading: Promise<TextIndex> | undefined;
  const load = async (from: string): Promise<TextIndex> => {
    const filled = index ?? createInMemoryTextIndex();
    const { readCorpus } = await import("./read-corpus.ts");
    await filled.clear(collection);
    await filled.put(collection, await readCorpus(from));
    return filled;
  };
  const ready = (from: string): Promise<TextIndex> => {
    // A failure is not cached: the folder may exist next time.
    loading ??= load(from).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return {
    provider: {
      name: "corpus",
      local: true,
      schemes: ["corpus"],
      configured: () => folder !== undefined || { missing },
      async search({ query, count, signal }) {
        if (folder === undefined) return [];
        const hits = await (await ready(folder)).search(collection, { text: query, limit: count }, signal);
        return hits.map(({ id, title, snippet }) => ({ title, url: addressOf(id), snippet }));
      },
    },
    async resolve(address) {
      const id = idOf(address);
      if (folder === undefined || id === undefined) return undefined;
      const found: TextDocument | undefined = await (await ready(folder)).get(collection, id);
      return found && { title: found.title, text: found.body };
    },
  };
}

function addressOf(id: string): string {
  return `corpus:${id.split("/").map(encodeURIComponent).join("/")}`;
}

function idOf(address: string): string | undefined {
  const path = /^corpus:(.+)$/i.exec(address.split("#", 1)[0] ?? "")?.[1];
  return orElse(() => (path === undefined ? undefined : decodeURIComponent(path)), undefined);
}
