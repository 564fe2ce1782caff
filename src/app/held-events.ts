import type { FolderEvent } from "../hub/index.ts";

/** Keeps what a folder tells until there is somebody to hear it. */
export class HeldEvents {
  readonly #held: FolderEvent[] = [];
  #listener: ((event: FolderEvent) => void) | undefined;

  tell(event: FolderEvent): void {
    if (this.#listener === undefined) this.#held.push(event);
    else this.#listener(event);
  }

  release(listener: (event: FolderEvent) => void): void {
    this.#listener = listener;
    for (const event of this.#held.splice(0)) listener(event);
  }
}
