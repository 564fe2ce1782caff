import { PageStyles } from "./page-styles.ts";
import type { Attributes, MarkupHandler } from "./parse-in-slices.ts";

/** More than this of one `<style>` is not looked at. */
const longestStyle = 500_000;

/** Collects a page's own styles. What is for paper, or for readers without scripts, does not count. */
export class StyleReader implements MarkupHandler {
  readonly styles: PageStyles = new PageStyles();
  #style: string | undefined;
  #withoutScripts = 0;

  open(name: string, attributes: Attributes): void {
    if (name === "noscript") this.#withoutScripts++;
    if (name !== "style" || this.#withoutScripts > 0) return;
    if (/^\s*(?:(?:all|screen)\s*)?$/i.test(attributes("media") ?? "")) this.#style = "";
  }

  close(name: string): void {
    if (name === "noscript") this.#withoutScripts--;
    if (name !== "style" || this.#style === undefined) return;
    this.styles.add(this.#style);
    this.#style = undefined;
  }

  text(data: string): void {
    if (this.#style !== undefined && this.#style.length < longestStyle) this.#style += data;
  }
}
