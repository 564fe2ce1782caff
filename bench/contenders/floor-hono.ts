import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import type { HttpContender } from "../contender.ts";

/** A route by hand. */
export async function create(): Promise<HttpContender> {
  const app = new Hono();
  let count = 0;
  app.post("/v1/tools/:name/call", async (context) => {
    const { args } = await context.req.json<{ readonly args: unknown }>();
    return context.json({
      success: true,
      tool: context.req.param("name"),
      output: args,
      duration_ms: 0.012,
      queued_ms: 0,
      executed_at: new Date().toISOString(),
      meta: { call_id: `call-${++count}`, attempts: 1 },
    });
  });
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }) as Server;
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: "0123456789abcdef" };
}
