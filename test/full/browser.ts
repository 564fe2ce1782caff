import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { getRequestListener } from "@hono/node-server";
import { onTestFinished } from "vitest";
import { loadPackage } from "./packages.ts";

/** The part of a page of Playwright that the tests use. */
export interface Page {
  goto(url: string): Promise<unknown>;
  waitForSelector(selector: string, options: { readonly timeout: number }): Promise<unknown>;
  textContent(selector: string): Promise<string | null>;
}

interface Browser {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

/**
 * As a user's browser: with the rules of origins, which the arguments of the package turn off, and no connection to anything
 * but loopback.
 */
const ownArguments = [
  "--no-sandbox",
  "--no-zygote",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--no-pings",
  "--no-first-run",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/** Opens a browser, which is closed at the end of the test. `WINDLASS_BROWSER` names another one. */
export async function openPage(): Promise<Page> {
  interface Packed {
    readonly default: { executablePath(): Promise<string> };
  }
  interface Playwright {
    readonly chromium: { launch(options: object): Promise<Browser> };
  }
  const executablePath =
    process.env["WINDLASS_BROWSER"] ??
    (await (await loadPackage<Packed>("@sparticuz/chromium")).default.executablePath());
  const { chromium } = await loadPackage<Playwright>("playwright-core");
  const browser = await chromium.launch({ executablePath, args: ownArguments });
  onTestFinished(() => browser.close());
  return browser.newPage();
}

/** Files by their paths. */
export type SiteFiles = Readonly<Record<`/${string}`, { readonly type: string; readonly text: string }>>;

/** Serves these files on loopback; other requests go to `otherwise`. Resolves with the origin. */
export async function serveSite(
  files: SiteFiles,
  otherwise?: (request: Request) => Response | Promise<Response>,
): Promise<string> {
  const listener = getRequestListener(
    (request) => {
      const file = files[new URL(request.url).pathname as `/${string}`];
      if (file !== undefined) return new Response(file.text, { headers: { "content-type": file.type } });
      return otherwise?.(request) ?? new Response(null, { status: 404 });
    },
    { overrideGlobalObjects: false },
  );
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
