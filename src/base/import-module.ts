/**
 * Imports a module by its address. The build puts a version of this file in its place for the program, whose own files
 * are no modules of Node's.
 */
export function importModule(url: string): Promise<unknown> {
  return import(/* @vite-ignore */ url);
}
