import { type Clock, cliCommand, systemClock } from "../base/index.ts";
import {
  type ChainLibrary,
  ChainReport,
  type ChainRuns,
  type Plan,
  type Trigger,
  checkTrigger,
  isChainError,
} from "../chain/index.ts";
import { createFileAccess } from "../file/index.ts";
import type { Redactor } from "../secrets/index.ts";
import type { TriggerStore } from "../store/index.ts";
import { type Problem, type YamlPath, hasErrors, parseYaml, suggestHint } from "../text/index.ts";
import { type DefinedTrigger, Triggers } from "../trigger/index.ts";
import { definedTriggers } from "./defined-triggers.ts";
import { workspaceFile } from "./find-workspace.ts";
import type { WorkspaceTrust } from "./open-trust.ts";
import type { Settings } from "./read-settings.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** Parts of a workspace that its triggers use. */
export interface OpenTriggersOptions {
  readonly dir: string;
  readonly config: WorkspaceConfig;
  readonly library: ChainLibrary;
  readonly runs: ChainRuns;
  readonly store: TriggerStore;
  readonly trust: Pick<WorkspaceTrust, "refusesTrigger">;
  readonly secret: (name: string) => string | undefined;
  readonly redactor: Pick<Redactor, "known">;
  readonly plan: (chain: string) => Promise<Plan>;
  readonly clock?: Clock | undefined;
}

/** The triggers of a workspace: those of its chains, and those of its settings. */
export function openTriggers(options: OpenTriggersOptions): Triggers {
  const { dir, config, library, trust, clock = systemClock } = options;
  const { store, runs, secret, redactor, plan } = options;
  return new Triggers({
    dir,
    store,
    runs,
    secret,
    redactor,
    plan,
    clock,
    files: createFileAccess({ roots: [{ path: dir, write: false }] }),
    defined: () => {
      const seen = new SeenTriggers();
      return definedTriggers(config, library).map((trigger): DefinedTrigger => {
        const untrusted = trust.refusesTrigger(trigger);
        if (untrusted !== undefined) return { trigger, fault: { status: "untrusted", message: untrusted.message } };
        const message = whyInvalid(trigger, library) ?? seen.add(trigger);
        return { trigger, fault: message === undefined ? undefined : { status: "invalid", message } };
      });
    },
    onError: (error) => process.emitWarning(`the triggers: ${String(error)}`),
  });
}

function whyInvalid({ chain, file }: Trigger, library: ChainLibrary): string | undefined {
  if (!library.has(chain)) return `there is no chain "${chain}"`;
  const first = library.problems(chain).find(({ severity }) => severity === "error");
  if (first === undefined) return undefined;
  return `${first.message}; show all problems with: ${cliCommand(`validate ${file ?? ""}`.trim())}`;
}

/** Finds ids and webhooks that two triggers have; the first one keeps them. */
class SeenTriggers {
  readonly #ids = new Map<string, Trigger>();
  readonly #hooks = new Map<string, Trigger>();

  /** Returns why the trigger cannot be used beside the earlier ones. */
  add(trigger: Trigger): string | undefined {
    const { id, kind, expression } = trigger;
    const same = this.#ids.get(id);
    if (same !== undefined) return `${same.file ?? same.chain} has a trigger with the id "${id}"; give one another id`;
    this.#ids.set(id, trigger);
    const hook = kind === "webhook" ? this.#hooks.get(expression) : undefined;
    if (hook !== undefined) return `the webhook /${expression} belongs to ${hook.id}; give one another path`;
    if (kind === "webhook") this.#hooks.set(expression, trigger);
    return undefined;
  }
}

/** Problems of the triggers in the settings, and of triggers that exclude each other. */
export function triggerProblems(
  settings: Pick<Settings, "config" | "source">,
  library: ChainLibrary,
): readonly Problem[] {
  return [...settingProblems(settings, library), ...sharedNames(settings, library)];
}

function settingProblems({ config, source }: Pick<Settings, "config" | "source">, library: ChainLibrary): Problem[] {
  const triggers = Object.entries(config.triggers);
  if (triggers.length === 0 || source === undefined) return [];
  const { report } = ChainReport.ofFile(source, workspaceFile);
  const before = new Set(report.problems);
  const secrets = new Set(Object.keys(config.secrets));
  for (const [id, { chain, ...spec }] of triggers) {
    const path: YamlPath = ["triggers", id];
    if (!library.has(chain)) {
      const hint = suggestHint(chain, library.names()) ?? `${cliCommand("chains")} lists the names`;
      report.add("unknown_chain", [...path, "chain"], [`there is no chain ${JSON.stringify(chain)}`, { hint }]);
    }
    const plan = planOf(chain, library);
    checkTrigger({ id, ...spec }, path, { chain, secrets, input: plan && (() => plan.input) }, report);
  }
  return report.problems.filter((problem) => !before.has(problem));
}

function planOf(chain: string, library: ChainLibrary): Plan | undefined {
  try {
    return library.has(chain) ? library.plan(chain) : undefined;
  } catch (error) {
    // Its own problems are reported at its file.
    if (isChainError(error)) return undefined;
    throw error;
  }
}

function sharedNames({ config, source }: Pick<Settings, "config" | "source">, library: ChainLibrary): Problem[] {
  const seen = new SeenTriggers();
  return definedTriggers(config, library).flatMap((trigger): Problem[] => {
    const message = seen.add(trigger);
    const { chain, file = chain, id } = trigger;
    // Two triggers of one chain are reported with the chain.
    if (message === undefined || hasErrors(library.problems(chain))) return [];
    const at = library.sourceOf(chain);
    const isSetting = file === workspaceFile;
    const text = isSetting ? (source ?? "") : at !== undefined && "text" in at ? at.text : "";
    const position = parseYaml(text, { file, maxBytes: 1 << 20 }).locate(isSetting ? ["triggers", id] : ["on"], "key");
    return [{ severity: "error", code: "duplicate_trigger", message, file, ...position }];
  });
}
