import type { Handlers } from "../request/handler.ts";

/** Liveness and readiness. */
export function healthRoutes(isReady: () => boolean): Handlers<"healthz" | "readyz"> {
  return {
    healthz: () => ({ status: "ok" }),
    readyz: () => (isReady() ? { status: "ok" } : { reply: true, status: 503, body: { status: "draining" } }),
  };
}
