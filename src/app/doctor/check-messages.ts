import { join } from "node:path";
import { systemClock } from "../../base/index.ts";
import { secretName } from "../../model/index.ts";
import type { Delivery } from "../../store/index.ts";
import { formatCount } from "../../text/index.ts";
import { pathExists } from "../find-workspace.ts";
import type { Workspace } from "../workspace.ts";
import type { StoreOpener } from "./check-database.ts";
import { type Finding, finding } from "./check-servers.ts";

/** Failed messages of this period are reported. */
const recentMs = 7 * 86_400_000;

/** Checks the messages that leave a workspace: `callbacks`, and `approvals: { notify }`. Sends none. */
export async function examineMessages(
  { dir, config, engine, missingSecrets }: Workspace,
  openStore: StoreOpener,
): Promise<Finding[]> {
  const deliveries = await storedDeliveries(dir, openStore);
  const of = (channel: string): Delivery[] => deliveries.filter((one) => one.channel === channel);
  const callbacks = Object.entries(config.callbacks).map(([name, { url, secret: key }]): Finding => {
    const secret = secretName(key);
    const about = `callback ${name}`;
    const missing = missingSecrets.some((one) => one.name === secret);
    if (missing)
      return finding(
        about,
        "fail",
        `the secret ${secret} has no value`,
        `set it, as secrets: { ${secret}: … } in windlass.yaml says`,
      );
    return resultFinding(about, of(`callback/${name}`), `ends of runs go to ${url}`);
  });
  const { notify } = config.approvals;
  if (notify === undefined) return callbacks;
  const about = "notifications";
  if (engine.tools.resolve(notify) === undefined)
    return [
      ...callbacks,
      finding(about, "fail", `there is no tool ${notify}`, "change approvals: { notify } in windlass.yaml"),
    ];
  return [...callbacks, resultFinding(about, of("approvals"), `waiting approvals go through ${notify}`)];
}

async function storedDeliveries(dir: string, openStore: StoreOpener): Promise<readonly Delivery[]> {
  const file = join(dir, ".windlass", "journal.db");
  if (!(await pathExists(file))) return [];
  // A database that cannot be opened or read has a finding of its own.
  const opened = await openStore(file).catch(() => undefined);
  try {
    return (await opened?.store.deliveries.list({ limit: 1000 })) ?? [];
  } catch {
    return [];
  } finally {
    await opened?.close();
  }
}

function resultFinding(about: string, deliveries: readonly Delivery[], purpose: string): Finding {
  const since = systemClock.now() - recentMs;
  const failed = deliveries.filter(({ status, createdAt }) => status === "failed" && createdAt > since);
  const retried = deliveries.filter(({ status, error }) => status === "pending" && error !== undefined);
  const [last] = failed.length > 0 ? failed : retried;
  if (last === undefined) return finding(about, "ok", purpose);
  const figures = [
    ...(failed.length > 0 ? [`${formatCount(failed.length, "message")} failed`] : []),
    ...(retried.length > 0 ? [`${formatCount(retried.length, "message")} will be retried`] : []),
  ];
  return finding(about, "warn", `${figures.join(", ")}; ${last.subject}: ${last.error ?? "no reason was recorded"}`);
}
