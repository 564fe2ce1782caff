import type { ToolFolderEvent } from "../hub/index.ts";

/** Buffers the events of a folder until a listener is attached. */
export class BufferedEvents {
  readonly #held: ToolFolderEvent[] = [];
  #listener: ((event: ToolFolderEvent) => void) | undefined;

  emit(event: ToolFolderEvent): void {
    if (this.#listener === undefined) this.#held.push(event);
    else this.#listener(event);
  }

  release(listener: (event: ToolFolderEvent) => void): void {
    this.#listener = listener;
    for (const event of this.#held.splice(0)) listener(event);
  }
}
