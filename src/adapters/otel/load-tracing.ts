import type * as Otel from "./index.ts";

/** What traces an engine. Loaded when the settings ask for it. */
export const loadTracing = (): Promise<typeof Otel> => import("./index.ts");
