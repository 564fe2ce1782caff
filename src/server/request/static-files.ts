import { readFileSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeCrypto, orElse } from "../../base/index.ts";

/** The response to a request for a file. */
export interface FileResponse {
  readonly status: number;
  readonly body: Uint8Array<ArrayBuffer> | null;
  readonly headers: Readonly<Record<string, string>>;
}

interface StaticFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A folder of the package: beside the built file, or at this path from the source. */
function packaged(name: string, source: string): string {
  return fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? source : `./${name}`, import.meta.url));
}

/**
 * The files of a page, at `/`, and those of the server's own pages. All are read before the first request is answered, so
 * that a path is only ever a key of a map: no path of a request reaches the file system.
 */
export class StaticFiles {
  readonly #folder: string;
  #files: ReadonlyMap<string, StaticFile> | undefined;

  /** @param folder The files at `/`. Default: the studio; without it, a page that describes the server. */
  constructor(folder: string = packaged("studio", "../../../dist/studio")) {
    this.#folder = folder;
  }

  /** The response to a request; undefined if there is no such file. */
  find(method: string, path: string, headers: Headers): FileResponse | undefined {
    if (method !== "GET" && method !== "HEAD") return undefined;
    this.#files ??= new Map([...filesIn(packaged("pages", "../pages")), ...filesIn(this.#folder)]);
    const file = this.#files.get(path);
    if (file === undefined) return undefined;
    if (headers.get("if-none-match")?.includes(file.etag) === true)
      return { status: 304, body: null, headers: file.headers };
    return { status: 200, body: file.body, headers: file.headers };
  }
}

/** The files of a folder by their paths in requests; none if there is no such folder. */
function filesIn(folder: string): readonly (readonly [path: string, StaticFile])[] {
  const entries = orElse(() => readdirSync(folder, { recursive: true, withFileTypes: true }), []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const path = `/${relative(folder, file).split(sep).join("/")}`;
      return [path.replace(/\/index\.html$/, "/").replace(/\.html$/, ""), readStatic(file, path)];
    });
}

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  webmanifest: "application/manifest+json",
  woff2: "font/woff2",
};

/** The build puts a digest of the content into the name. */
const hashed = /^\/assets\/.*[-.][\w-]{8,}\.\w+$/;

/** Scripts and styles are files of this server: inline code and other sites are blocked. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
  "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function readStatic(file: string, path: string): StaticFile {
  const body = new Uint8Array(readFileSync(file));
  const etag = `"${nodeCrypto().createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;
  const extension = /\.(\w+)$/.exec(path)?.[1] ?? "";
  return {
    body,
    etag,
    headers: {
      "content-type": types[extension] ?? "application/octet-stream",
      "cache-control": hashed.test(path) ? "public, max-age=31536000, immutable" : "no-cache",
      "content-security-policy": policy,
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      etag,
    },
  };
}
