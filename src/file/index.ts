/**
 * Guarded file access. File tools and everything that a model can direct read and write files through it.
 *
 * Belongs here: roots, paths, links, control files, ignore rules, atomic writes, decoding of bytes.
 *
 * Must stay true: a path is resolved and opened without following links out of the roots, also if a link changes in the
 * meantime. Control files of a workspace (`windlass.yaml`, tools, chains, `.windlass/`) are read-only. A file is
 * replaced as a whole or not at all. Reads are limited in size.
 *
 * Test: `npm run vitest -- run src/file`
 */

export type * from "./control-files.ts";
export * from "./denied-paths.ts";
export * from "./decode-text.ts";
export * from "./file-access.ts";
export * from "./file-reasons.ts";
export * from "./path-glob.ts";
export * from "./ignore-rules.ts";

export * from "./parse-path.ts";
export type * from "./read-bytes.ts";
export type * from "./roots.ts";
export * from "./sha256.ts";
export * from "./show-path.ts";
export type * from "./walk-entry.ts";
export type * from "./walk-folder.ts";
