import { type HttpClient, createHttpClient } from "../net/index.ts";

/** HTTP clients for the models of a workspace. */
export interface ModelHttpClients {
  /** The HTTP client for the model at this address. */
  forUrl(baseUrl: string | undefined): HttpClient;
  /** Aborts every in-flight request and closes every connection. */
  close(): Promise<void>;
}

/**
 * HTTP clients for models, one per origin. Each allows its own origin, even on this machine or in a private network,
 * and otherwise only what the workspace allows. So such a model needs no entry in `network.allow`, which would
 * expose it to tools as well. Use only with addresses configured by the workspace owner.
 *
 * @example
 * ```ts
 * const httpClients = createModelHttpClients(config.network.allow);
 * const models = openModels({ file: config.models, env: process.env }, httpClients);
 * ```
 */
export function createModelHttpClients(allow: readonly string[]): ModelHttpClients {
  const httpClients = new Map<string, HttpClient>();
  return {
    forUrl: (baseUrl = "") => {
      const url = URL.parse(baseUrl) ?? undefined;
      const origin = url?.origin ?? "";
      const http = httpClients.get(origin) ?? createHttpClient({ allow, service: url });
      httpClients.set(origin, http);
      return http;
    },
    close: async () => {
      await Promise.all([...httpClients.values()].map((http) => http.close()));
    },
  };
}
