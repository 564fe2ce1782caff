import { relative } from "node:path";
import { type StoreOpener, type Workspace, examineWorkspace, workspaceSchema } from "../../app/index.ts";
import { cliCommand, fail } from "../../base/index.ts";
import { chainFileSchema } from "../../chain/index.ts";
import { contractFileSchema } from "../../hub/index.ts";
import { toolFileSchema } from "../../tool/index.ts";
import { asWire } from "../request/as-wire.ts";
import { type Handlers, refusal } from "../request/handler.ts";
import type { ServerMetrics } from "../request/server-metrics.ts";

/** Dependencies of {@link serviceRoutes}. */
interface ServiceRouteDeps {
  readonly isReady: () => boolean;
  readonly metrics: Pick<ServerMetrics, "text">;
}

/** The database is open: it is examined as it is. */
async function lendStore(store: Workspace["store"], file: string): ReturnType<StoreOpener> {
  if (store === undefined) throw fail(`${file} is not used by this server`, { code: "not_available" });
  return { store, close: async () => {} };
}

const fileSchemas = {
  chain: () => chainFileSchema,
  tool: () => toolFileSchema,
  capability: () => contractFileSchema,
  workspace: workspaceSchema,
} as const;

/** Liveness, readiness, figures, and the schemas of files. */
export function serviceRoutes({
  isReady,
  metrics,
}: ServiceRouteDeps): Handlers<"healthz" | "readyz" | "prometheus" | "get_schema" | "get_doctor"> {
  return {
    prometheus: async () => ({
      reply: true,
      mediaType: "text/plain; version=0.0.4; charset=utf-8",
      body: await metrics.text(),
    }),
    get_doctor: async ({ workspace }) => {
      const { store, engine } = workspace;
      const findings = await examineWorkspace(workspace, {
        network: false,
        shorten: (path) => relative(workspace.dir, path) || ".",
        reviewCommand: cliCommand("trust"),
        openStore: (file) => lendStore(store, file),
      });
      const ok = findings.every(({ status }) => status !== "fail");
      return asWire<"DoctorReport">({ ok, findings: findings.map((each) => engine.redactor.value({ ...each })) });
    },
    get_schema: ({ params: { name } }) => {
      if (Object.hasOwn(fileSchemas, name)) return fileSchemas[name as keyof typeof fileSchemas]();
      const names = Object.keys(fileSchemas).join(", ");
      throw refusal("not_found", `there is no schema ${JSON.stringify(name)}; the schemas are ${names}`);
    },
    healthz: () => ({ status: "ok" }),
    readyz: () => (isReady() ? { status: "ok" } : { reply: true, status: 503, body: { status: "draining" } }),
  };
}
