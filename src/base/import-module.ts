/**
 * Imports a module by its URL. The build replaces this file, because a script that `windlass` has loaded with compiled
 * code cannot import by itself.
 */
export function importModule(url: string): Promise<unknown> {
  return import(/* @vite-ignore */ url);
}
