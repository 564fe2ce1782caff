import { apiVersion } from "../../api/index.ts";

/** Headers of every response that is not a page. */
export const commonHeaders: Readonly<Record<string, string>> = {
  "windlass-api": apiVersion,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};
