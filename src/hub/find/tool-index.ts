import type { AnyTool, Registration } from "../../tool/index.ts";
import { TermIndex } from "./term-index.ts";
import { foldName, toolBag } from "./tool-bag.ts";

/** So many tools that are gone are carried along before all is made anew. */
const mostGone = 500;

/** The tools of a registry by their words and by their names. */
export class ToolIndex {
  #terms = new TermIndex();
  /** By the number of their document. */
  #found: (Registration | undefined)[] = [];
  #places = new Map<AnyTool, number>();
  #byName = new Map<string, Set<number>>();

  get terms(): TermIndex {
    return this.#terms;
  }

  at(place: number): Registration | undefined {
    return this.#found[place];
  }

  /** The tools that have this name, however it is written. */
  named(name: string): Iterable<number> {
    return this.#byName.get(foldName(name)) ?? [];
  }

  /** Makes it those of the list: what was there before is not read again. */
  update(list: readonly Registration[]): void {
    const gone = new Map(this.#places);
    for (const registration of list) {
      gone.delete(registration.tool);
      const place = this.#places.get(registration.tool) ?? this.#add(registration.tool);
      this.#found[place] = registration;
    }
    for (const [tool, place] of gone) this.#remove(tool, place);
    if (this.#terms.end - this.#terms.count > Math.max(mostGone, this.#terms.count)) this.#makeAnew();
  }

  #add(tool: AnyTool): number {
    const place = this.#terms.add(toolBag(tool));
    this.#places.set(tool, place);
    for (const name of namesOf(tool)) {
      const places = this.#byName.get(name) ?? new Set();
      this.#byName.set(name, places.add(place));
    }
    return place;
  }

  #remove(tool: AnyTool, place: number): void {
    this.#terms.remove(place);
    this.#places.delete(tool);
    this.#found[place] = undefined;
    for (const name of namesOf(tool)) {
      const places = this.#byName.get(name);
      places?.delete(place);
      if (places?.size === 0) this.#byName.delete(name);
    }
  }

  #makeAnew(): void {
    const list = this.#found.filter((each) => each !== undefined);
    this.#terms = new TermIndex();
    this.#found = [];
    this.#places = new Map();
    this.#byName = new Map();
    this.update(list);
  }
}

/** The name, also without its server, and the other names; not the title, which a server makes up as it likes. */
function namesOf({ name, aliases }: AnyTool): Set<string> {
  return new Set([name, name.slice(name.indexOf("/") + 1), ...aliases].map(foldName));
}
