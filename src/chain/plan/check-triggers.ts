import { type ExpressionError, compileValue } from "../../expr/index.ts";
import { readPathGlob } from "../../file/index.ts";
import type { Schema } from "../../schema/index.ts";
import { type YamlPath, suggestHint } from "../../text/index.ts";
import type { ChainReport } from "./chain-report.ts";
import { checkParams } from "./check-params.ts";
import { isSchedule, Schedule } from "./schedule.ts";
import { type TriggerKind, secretReferenceIn, triggerIdPattern, triggerKinds, webhookName } from "./trigger.ts";
import { type TriggerSpec, webhookSchemes } from "./trigger-spec.ts";

/** Names and schemas that the triggers of a file are checked against. */
export interface TriggerChecks {
  /** Names of the secrets of the workspace; undefined if they are not checked. */
  readonly secrets: ReadonlySet<string> | undefined;
  /** The chain that a trigger runs, and its input; undefined if the chain is not known. */
  readonly chain: string;
  readonly input: (() => Schema) | undefined;
}

/** The keys that belong to triggers of one kind. */
const ownKeys: Readonly<Record<TriggerKind, readonly (keyof TriggerSpec)[]>> = {
  schedule: ["timezone", "missed"],
  webhook: ["verify", "secret", "reply"],
  file: [],
};

const kindExamples = '"schedule", "webhook" or "file", such as schedule: "0 8 * * 1-5"';

/** Checks a trigger, at this path of its file. */
export function checkTrigger(spec: TriggerSpec, path: YamlPath, checks: TriggerChecks, report: ChainReport): void {
  const { id } = spec;
  if (id !== undefined && !triggerIdPattern.test(id)) {
    const hint = 'use up to 80 letters, digits, ".", "_" and "-", beginning with a letter or digit';
    report.add("bad_trigger_id", [...path, "id"], [`${JSON.stringify(id.slice(0, 100))} cannot be an id`, { hint }]);
  }
  const [kind, other] = triggerKinds(spec);
  if (kind === undefined) {
    report.add("no_trigger", path, ["this trigger never fires", { hint: `add ${kindExamples}` }]);
  } else if (other !== undefined) {
    const hint = "write two triggers, one for each";
    report.add(
      "two_triggers",
      [...path, other],
      [`a trigger has one kind: "${kind}" or "${other}"`, { hint, part: "key" }],
    );
  } else {
    checkKeys(spec, kind, path, report);
    kindChecks[kind](spec, path, { ...checks, report });
  }
  checkInput(spec, path, checks, report);
}

function checkKeys(spec: TriggerSpec, kind: TriggerKind, path: YamlPath, report: ChainReport): void {
  for (const [owner, keys] of Object.entries(ownKeys)) {
    for (const key of owner === kind ? [] : keys) {
      if (spec[key] === undefined) continue;
      const detail = { hint: "remove it", part: "key" } as const;
      report.add(
        "useless_key",
        [...path, key],
        [`"${key}" has no effect on a ${kind}; it belongs to a ${owner}`, detail],
      );
    }
  }
}

type KindCheck = (
  spec: TriggerSpec,
  path: YamlPath,
  of: Pick<TriggerChecks, "secrets"> & { readonly report: ChainReport },
) => void;

const kindChecks: Readonly<Record<TriggerKind, KindCheck>> = {
  schedule({ schedule = "", timezone }, path, { report }) {
    const parsed = Schedule.parse(schedule, timezone);
    if (isSchedule(parsed)) return;
    const { part, code, message, hint } = parsed;
    report.add(code, [...path, part], [message, { hint }]);
  },
  webhook(spec, path, { secrets, report }) {
    const { webhook = "", verify } = spec;
    if (!webhookName.test(webhook.trim().replace(/^\/+/, ""))) {
      const hint = 'write a name such as /new-order: letters, digits, ".", "_" and "-", without a further "/"';
      report.add(
        "bad_webhook",
        [...path, "webhook"],
        [`${JSON.stringify(webhook.slice(0, 100))} is not a path`, { hint }],
      );
    }
    if (verify === undefined) {
      const hint = `add verify: ${webhookSchemes.join(" | ")}, by the sender's documentation`;
      report.add("unverified_webhook", [...path, "webhook"], ["anyone could send this webhook", { hint }]);
    }
    checkSecrets(spec, path, { secrets, report });
  },
  file({ file = "" }, path, { report }) {
    if (readPathGlob(file) !== undefined && !/^(?:\/|~|[A-Za-z]:[/\\])|\\/.test(file.trim())) return;
    const hint = 'write a path in the workspace with "/", "*" and "**", such as inbox/**/*.md';
    report.add(
      "bad_pattern",
      [...path, "file"],
      [`${JSON.stringify(file.slice(0, 100))} is not a pattern of paths`, { hint }],
    );
  },
};

const maxSecrets = 2;

const checkSecrets: KindCheck = ({ secret }, path, { secrets, report }) => {
  const written = [secret ?? []].flat();
  if (written.length === 0) {
    const hint = 'declare it in windlass.yaml, such as secrets: { HOOK: env }, and write secret: "${secret.HOOK}"';
    report.add("missing_secret", [...path, "webhook"], ["the signatures of this webhook need a secret", { hint }]);
  }
  if (written.length > maxSecrets)
    report.add(
      "too_many_secrets",
      [...path, "secret"],
      ["a webhook has at most two secrets", { hint: "remove the oldest" }],
    );
  for (const [index, text] of written.entries()) {
    const at = typeof secret === "string" ? [...path, "secret"] : [...path, "secret", index];
    const name = secretReferenceIn(text);
    if (name === undefined) {
      // The text itself is not shown: it may be the secret.
      const hint = 'declare it in windlass.yaml, such as secrets: { HOOK: env }, and write "${secret.HOOK}" here';
      report.add("plain_secret", at, ["this is not a reference to a secret", { hint }]);
    } else if (secrets !== undefined && !secrets.has(name)) {
      const hint = suggestHint(name, secrets) ?? `add it to windlass.yaml: secrets: { ${name}: env }`;
      report.add("unknown_secret", at, [`there is no secret "${name}"`, { hint }]);
    }
  }
};

function checkInput(
  { input: written, schedule, webhook }: TriggerSpec,
  path: YamlPath,
  { chain, input }: TriggerChecks,
  report: ChainReport,
): void {
  const inputPath = [...path, "input"];
  const known = schedule !== undefined ? scheduleFields : webhook !== undefined ? webhookFields : fileFields;
  checkExpressions(written ?? {}, inputPath, { known, report });
  if (input === undefined) return;
  const toolPath = written === undefined ? path : inputPath;
  const target = `the chain "${chain}"`;
  checkParams({ params: written, path: inputPath, toolPath, target, typeOf: () => undefined }, input(), report);
}

/** Reports expressions that cannot be read, or that read something else than the event. */
function checkExpressions(
  input: unknown,
  inputPath: YamlPath,
  { known, report }: { readonly known: readonly string[]; readonly report: ChainReport },
): void {
  const { value, errors } = compileValue(input, { missing: "drop" });
  for (const { path: inner, error } of errors) refuse(error, [...inputPath, ...inner], report);
  for (const { root, path: names, text, at, length, valuePath } of value.references) {
    const inside = [at, length] as const;
    const where = [...inputPath, ...valuePath];
    const [field] = names;
    if (root !== "event") {
      const hint = "a trigger knows only what happened: ${event.…}";
      report.add("bad_reference", where, [`there is no "${text}" in the input of a trigger`, { hint, inside }]);
    } else if (typeof field === "string" && !known.includes(field)) {
      const hint = suggestHint(field, known) ?? `it has ${known.join(", ")}`;
      report.add("unknown_field", where, [`this event has no "${field}"`, { hint, inside }]);
    }
  }
}

const scheduleFields: readonly string[] = ["trigger", "time"];
const webhookFields: readonly string[] = ["trigger", "time", "id", "body", "headers", "query"];
const fileFields: readonly string[] = ["trigger", "time", "path", "digest"];

function refuse(error: ExpressionError, path: YamlPath, report: ChainReport): void {
  const { message, hint, at, length, fault } = error;
  const inside = [at, Math.max(1, length)] as const;
  report.add(fault === "syntax" ? "bad_expression" : fault, path, [message, { hint, inside }]);
}

/** Reports triggers of one file whose ids or webhooks are the same. */
export function checkDistinct(
  triggers: readonly { readonly id: string; readonly path: YamlPath }[],
  report: ChainReport,
): void {
  const seen = new Set<string>();
  for (const { id, path } of triggers) {
    if (seen.has(id)) {
      const hint = "remove one of them, or give one another id";
      report.add("duplicate_trigger", path, [`there are two triggers with the id "${id}"`, { hint }]);
    }
    seen.add(id);
  }
}
