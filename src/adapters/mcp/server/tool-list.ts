import { type AnyTool, type McpTool, type Registration, createWireNames, toMcpTools } from "../../../tool/index.ts";

/** What {@link ToolList} needs. */
export interface ToolListParts {
  /** The tools there are, in any order. */
  readonly tools: () => readonly Registration[];
  /** May a client see it? */
  readonly isOffered: (registration: Registration) => boolean;
  /** Changes whenever the tools may be others. */
  readonly version: () => number;
  readonly log: (message: string) => void;
}

/** A tool that a client called by the name it was listed under. */
export interface ListedTool {
  /** The tool's own name. */
  readonly name: string;
  readonly wire: McpTool;
  /** Arguments with the parameter names that the tool declares. */
  argumentsOf(given: unknown): unknown;
}

/** One page of the list. */
export interface ToolPage {
  readonly tools: readonly McpTool[];
  readonly nextCursor?: string;
}

interface Listing {
  readonly version: number;
  /** Sorted by the tools' own names. */
  readonly listed: readonly ListedTool[];
  readonly byWireName: ReadonlyMap<string, ListedTool>;
  readonly byName: ReadonlyMap<string, ListedTool>;
}

const pageSize = 100;

/** The tools as clients see them: in a stable order, page by page, under names that every client can send. */
export class ToolList {
  readonly #parts: ToolListParts;
  #listing: Listing | undefined;
  #told = "";

  constructor(parts: ToolListParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#current().listed.length;
  }

  /**
   * The page after the one that ended with this cursor; undefined where the cursor is none of ours. A cursor says which
   * name was the last one, so it holds when tools come and go meanwhile.
   */
  page(cursor?: string): ToolPage | undefined {
    const after = cursor === undefined ? undefined : readCursor(cursor);
    if (cursor !== undefined && after === undefined) return undefined;
    const { listed } = this.#current();
    const from = after === undefined ? 0 : listed.findIndex(({ name }) => name > after);
    const page = from === -1 ? [] : listed.slice(from, from + pageSize);
    const last = page.at(-1);
    const isMore = last !== undefined && last !== listed.at(-1);
    return { tools: page.map(({ wire }) => wire), ...(isMore && { nextCursor: writeCursor(last.name) }) };
  }

  /** The tool that a client means: by the name it was listed under, else by its own, which others may have told it. */
  find(name: string): ListedTool | undefined {
    const { byWireName, byName } = this.#current();
    return byWireName.get(name) ?? byName.get(name);
  }

  /** The name under which a tool is listed; undefined where it is not. */
  wireNameOf(name: string): string | undefined {
    return this.#current().byName.get(name)?.wire.name;
  }

  /** Every name under which a tool is listed, for suggestions. */
  wireNames(): Iterable<string> {
    return this.#current().byWireName.keys();
  }

  /** Is it another list than when this was asked last? */
  hasChanged(): boolean {
    const now = JSON.stringify(this.#current().listed.map(({ wire }) => wire));
    const before = this.#told;
    this.#told = now;
    return now !== before;
  }

  #current(): Listing {
    // Tools that are registered late change the version while they are listed: it is read afterwards.
    if (this.#listing !== undefined && this.#listing.version === this.#parts.version()) return this.#listing;
    const offered = this.#parts.tools().filter((each) => this.#parts.isOffered(each));
    this.#listing = this.#list(offered.map(({ tool }) => tool).toSorted((a, b) => (a.name < b.name ? -1 : 1)));
    return this.#listing;
  }

  #list(tools: readonly AnyTool[]): Listing {
    const names = createWireNames(tools, "mcp");
    const listed = tools.flatMap((tool): ListedTool[] => {
      try {
        const [wire] = toMcpTools([tool], { names });
        if (wire === undefined) return [];
        return [{ name: tool.name, wire, argumentsOf: (given) => names.argumentsFromWire(wire.name, given) }];
      } catch (error) {
        // One tool that cannot be described must not hide the others.
        this.#parts.log(`${tool.name} is not listed: ${String(error)}`);
        return [];
      }
    });
    const byWireName = new Map(listed.map((each) => [each.wire.name, each]));
    const byName = new Map(listed.map((each) => [each.name, each]));
    return { version: this.#parts.version(), listed, byWireName, byName };
  }
}

function writeCursor(name: string): string {
  return Buffer.from(name, "utf8").toString("base64url");
}

function readCursor(cursor: string): string | undefined {
  if (cursor.length > 2000) return undefined;
  const name = Buffer.from(cursor, "base64url").toString("utf8");
  return name !== "" && writeCursor(name) === cursor ? name : undefined;
}
