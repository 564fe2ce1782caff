import {
  type AnyTool,
  type McpTool,
  type Registration,
  type WireNames,
  createWireNames,
  toMcpTools,
} from "../../../tool/index.ts";

/** Options of {@link ServedToolList}. */
export interface ToolListDeps {
  /** All tools, in any order. */
  readonly tools: () => readonly Registration[];
  /** True if clients may see the tool. */
  readonly isOffered: (registration: Registration) => boolean;
  /** Changes whenever the tools may have changed. */
  readonly version: () => number;
  readonly log: (message: string) => void;
}

/** A tool that a client called by the name it was listed under. */
export interface ListedTool {
  /** The tool's own name. */
  readonly name: string;
  readonly wire: McpTool;
  /** Arguments with the parameter names that the tool declares. */
  argumentsOf(input: unknown): unknown;
}

interface Listing {
  readonly version: number;
  /** Sorted by the tools' own names. */
  readonly listed: readonly ListedTool[];
  readonly byWireName: ReadonlyMap<string, ListedTool>;
  readonly byName: ReadonlyMap<string, ListedTool>;
  /** Tools by alias. Aliases are not listed, but can be called. */
  readonly byAlias: ReadonlyMap<string, AnyTool>;
}

const pageSize = 100;

/** The tools as clients see them: in a stable order, page by page, under names that every client can send. */
export class ServedToolList {
  readonly #parts: ToolListDeps;
  #listing: Listing | undefined;
  #listed = "";

  constructor(parts: ToolListDeps) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#current().listed.length;
  }

  /**
   * The page after the one that ended with this cursor; undefined if the cursor is invalid. A cursor names the last
   * tool of its page, so it stays valid when tools are added or removed.
   */
  page(cursor?: string): { readonly tools: readonly McpTool[]; readonly nextCursor?: string } | undefined {
    const after = cursor === undefined ? undefined : readCursor(cursor);
    if (cursor !== undefined && after === undefined) return undefined;
    const { listed } = this.#current();
    const from = after === undefined ? 0 : listed.findIndex(({ name }) => name > after);
    const page = from === -1 ? [] : listed.slice(from, from + pageSize);
    const last = page.at(-1);
    const isMore = last !== undefined && last !== listed.at(-1);
    return { tools: page.map(({ wire }) => wire), ...(isMore && { nextCursor: writeCursor(last.name) }) };
  }

  /**
   * Finds the tool that a client names: by its listed name, otherwise by its own name or an alias, which the client may
   * know from elsewhere.
   */
  find(name: string): ListedTool | undefined {
    const { byWireName, byName, byAlias } = this.#current();
    const listed = byWireName.get(name) ?? byName.get(name);
    if (listed !== undefined) return listed;
    const tool = byAlias.get(name);
    return tool === undefined ? undefined : toListed(tool, createWireNames([tool], "mcp"), name);
  }

  /** The name under which a tool is listed; undefined if it is not listed. */
  wireNameOf(name: string): string | undefined {
    return this.#current().byName.get(name)?.wire.name;
  }

  /** All listed names, for suggestions. */
  wireNames(): Iterable<string> {
    return this.#current().byWireName.keys();
  }

  /** True if the list differs from that at the last check. */
  hasChanged(): boolean {
    const now = JSON.stringify(this.#current().listed.map(({ wire }) => wire));
    const before = this.#listed;
    this.#listed = now;
    return now !== before;
  }

  #current(): Listing {
    // Lazily registered tools change the version while they are listed, so it is read afterwards.
    if (this.#listing !== undefined && this.#listing.version === this.#parts.version()) return this.#listing;
    const offered = this.#parts.tools().filter((each) => this.#parts.isOffered(each));
    const sorted = offered.toSorted((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
    this.#listing = this.#list(
      sorted.map(({ tool }) => tool),
      aliasesOf(sorted),
    );
    return this.#listing;
  }

  #list(tools: readonly AnyTool[], byAlias: ReadonlyMap<string, AnyTool>): Listing {
    const names = createWireNames(tools, "mcp");
    const listed = tools.flatMap((tool): ListedTool[] => {
      try {
        return [toListed(tool, names, tool.name) ?? []].flat();
      } catch (error) {
        // One tool that cannot be described must not hide the others.
        this.#parts.log(`${tool.name} is not listed: ${String(error)}`);
        return [];
      }
    });
    const byWireName = new Map(listed.map((each) => [each.wire.name, each]));
    const byName = new Map(listed.map((each) => [each.name, each]));
    return { version: this.#parts.version(), listed, byWireName, byName, byAlias };
  }
}

/** The tools by their aliases; a server's tool is only called by its name. */
function aliasesOf(offered: readonly Registration[]): ReadonlyMap<string, AnyTool> {
  const own = offered.filter(({ source }) => source !== "mcps");
  return new Map(own.flatMap(({ tool }) => tool.aliases.map((alias) => [alias, tool.forms?.[alias] ?? tool])));
}

/** A tool that is called by `name`. */
function toListed(tool: AnyTool, names: WireNames, name: string): ListedTool | undefined {
  const [wire] = toMcpTools([tool], { names });
  return wire && { name, wire, argumentsOf: (input) => names.argumentsFromWire(wire.name, input) };
}

function writeCursor(name: string): string {
  return Buffer.from(name, "utf8").toString("base64url");
}

function readCursor(cursor: string): string | undefined {
  if (cursor.length > 2000) return undefined;
  const name = Buffer.from(cursor, "base64url").toString("utf8");
  return name !== "" && writeCursor(name) === cursor ? name : undefined;
}
