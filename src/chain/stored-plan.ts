import { fail, cliCommand } from "../base/index.ts";
import type { Resolver } from "../engine/index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import type { StoredRun } from "../store/index.ts";
import { hasErrors } from "../text/index.ts";
import { type AnyTool, defineTool, fingerprintShape, fingerprintTool } from "../tool/index.ts";
import type { PlanContext, Plan } from "./plan/plan.ts";
import { planFromSnapshot, snapshotOf } from "./plan/snapshot.ts";

/** Format of keys, events and outcomes in the journal. A run of another format cannot be replayed. */
export const runFormat = 2;

/**
 * The plan of a run that resumes or is repeated: the chain as stored, with the current tools. A run that resumes was
 * allowed to start: the workspace's current `taint` setting applies to new runs.
 */
export function planStoredRun(definition: string, context: PlanContext): Plan {
  const { plan, problems } = planFromSnapshot(definition, context);
  if (plan !== undefined && !hasErrors(problems)) return plan;
  const why = problems.find(({ severity }) => severity === "error")?.message ?? "its chain cannot be read";
  throw fail(`the run cannot resume: ${why}`, { code: "run_changed" });
}

/** Rejects a run that would not continue as it began. */
export function checkUnchanged(run: Pick<StoredRun, "id" | "format" | "fingerprints">, plan: Plan): void {
  if (run.format !== runFormat) {
    throw fail(`run ${run.id} was started by another version of Windlass (format ${run.format})`, {
      code: "run_changed",
    });
  }
  const changed = changedTools(run, plan);
  if (changed.length === 0) return;
  const which = changed.map((name) => `"${name}"`).join(", ");
  throw fail(
    `the tool ${which} has changed since run ${run.id} began; start again with: ${cliCommand(`rerun ${run.id}`)}`,
    {
      code: "run_changed",
      reason: "tool_changed",
    },
  );
}

/** The tools of a run that have changed. */
export function changedTools(run: Pick<StoredRun, "fingerprints">, plan: Plan): string[] {
  const { tools } = snapshotOf(plan);
  return Object.entries(fingerprintsOf(run)).flatMap(([name, before]) => {
    const tool = tools.get(name);
    return tool !== undefined && isSameTool(tool, before) ? [] : [name];
  });
}

/** True if a run that began with this fingerprint can continue with the tool. */
function isSameTool(tool: AnyTool, before: string | undefined): boolean {
  if (before === undefined) return false;
  if (fingerprintTool(tool) === before) return true;
  return Object.hasOwn(formerFingerprints, before) && formerFingerprints[before] === fingerprintShape(tool);
}

function fingerprintsOf({ fingerprints }: Pick<StoredRun, "fingerprints">): Readonly<Record<string, string>> {
  // Written when the run started.
  return JSON.parse(fingerprints) as Record<string, string>;
}

/** The plan of a run that is only inspected, or cancelled: removed and changed tools are ignored. */
export function inspectPlan(run: Pick<StoredRun, "definition" | "fingerprints">, context: PlanContext): Plan {
  const { env: _env, secrets: _secrets, ...known } = context;
  return planStoredRun(run.definition, {
    ...known,
    taint: "unchecked",
    tools: lenient(context.tools, fingerprintsOf(run)),
  });
}

/** A tool that has changed could make a chain invalid that was valid with the old tool. */
function lenient(tools: Resolver, before: Readonly<Record<string, string>>): Resolver {
  return {
    resolve: (name) => {
      const found = tools.resolve(name);
      const isSame = found !== undefined && Object.hasOwn(before, name) && isSameTool(found.tool, before[name]);
      return isSame ? found : { tool: stand(name), source: "", owner: "", priority: 0 };
    },
    names: () => tools.names(),
  };
}

/** Placeholder for a tool that no longer exists, or has changed. It may be cached, as the tool may have been. */
function stand(name: string): AnyTool {
  return defineTool({
    name: /^[A-Za-z_][\w-]{0,63}$/.test(name) ? name : "gone",
    description: "A tool that no longer exists.",
    effect: "read",
    input: fromJsonSchema({ type: "object" }),
    run: () => null,
  });
}

/**
 * Fingerprints that built-in tools had before their descriptions were reworded, or before their names became aliases, and
 * the fingerprint of the shape that a tool of this name has now. A run that began with such a tool can continue: the tool
 * accepts the same arguments and returns the same output.
 */
export const formerFingerprints: Readonly<Record<string, string>> = {
  // web_search
  "2fdeb737ca601d1844ae26515126b2f7": "06af626156cb3e26b56546964f562032",
  // web_fetch
  "5acef36af6169893ffea5d421fa5f8f2": "4526de99997d9127d647f5927352d22c",
  // fetch_page
  b0c00b52d6f70c880d79046a5b6249f7: "b5086f03599862e0ebfec01242650dfd",
  // parallel_fetch
  c3d0a16fe639cf593e3da660694fb420: "2fef70859a7c41f3c142edafa0a76331",
  // crawl_batch
  "4c3114ba11762666e976789210695a7f": "e72acf6f30345614f5e2fd3cab2869d3",
  // get_weather
  "2486ca7168edd3f74cf4ac8dc6f3b19c": "4c695cf766864fb062920a0562287862",
  // youtubeTranscription
  "44c99d2d4047354c8a5d25aa9ef674bb": "d1d1a898d852d1d3c6fc13e564c43aec",
  // memory_store
  fdc0648e6331fc7cb14b77fc9f3b891f: "7c11264a9b567eee5ed6a74bd910b455",
  // memory_recall
  "243a8a3fc94fbe05e10c8c2dbd840ecc": "3e59bebf144603d668681334e7465b50",
  // memory_forget
  cbc4c210fda0a1102c82c6c9f72c65c1: "f68bbfa78bc21873298be43069262e54",
  // get_conversation_history
  dd0126cef703ecf8f562f5085d35fa29: "4cf92bb8a9d3b32b8d7d8a5b38272cf6",
  // indexVault
  "74c28b7f4840875ed1c01080deeabdfe": "4dab8165f9c6e6cedb68aba1517d92ec",
  // localSearch
  "22206596f392b119da64b35412ab00dd": "e8c9ada8193c8c4aa52ff0858d3d39e4",
  // read_note
  "6979928d6b9266007f7189e67a152f43": "13802dd65073b088c1d127ba20466765",
  // getFileTree
  "5053ec25243730d9bf54a5b0776604de": "b939379b61e447570cdf53730b6a4629",
  // read_file
  ba3c3dc3e61f33535319a4d787fb0732: "9be280095e157dfe80cc11a4de180912",
  // write_file
  b8ca058893f37d4eea1383570fb4c9cc: "73720ca1eb30d889ab2b11a0f880a9fe",
  // edit_file
  "3b2a17e14c3fc4510c93e5d78bb0c22d": "19cfc4964bd08f8ad496504e14d4d6b0",
  // list_dir
  "0926be23851bad55e1cf7c609a6c6f97": "174b37543c5898e1b88c1f38c169652d",
  // search_files
  b09e1da30bd8e96270c39b203f1991f9: "f034e6a4f613eadab4d1e657f18eb065",
  // text_process
  df8eeab2af5f77dd9f658f1026a4f16f: "875ab6ecf0d07373ef401d42ad09aece",
  // json_process
  "73c05de0b370ae853ee6704e5ca06842": "22e7695b1e90485f0595338f85eb4ac0",
  // test_runner
  "225f323819b6f2bfd4316391ee29923f": "f3c2afec4ac35eecb838de599d01eca7",
  // llm_summarize
  "385f1da477edca6e8023964028ab7cee": "fb151b5ec84772c7d256444c14f9b330",
  // llm_design
  "046e806ec24732540b18f3c461197196": "9d859dab9392ad2528357bf1f99b3598",
  // code_generator
  "3b22c004e9268cbdd9840fceb3626e94": "2b2df211b1fb66dbe7fa720c03e42198",
  // code_reviewer
  "419315b546375e60680ddf5ed5b52f9a": "41cea0c8e2981f7a89d004fe4bab3a86",
  // code_fixer
  "7a4843b34623bed424348da3f3ba41e1": "12391e00e12625fd46fe08593ac0d230",
  // outline_generator
  "14aa611218f9164cb958caf91df8c4ac": "646c81633a51406555bc77f8164c4627",
  // content_writer
  f8ea8d110944b83e738394ef209b2932: "01646670d4f0318bb82a6bfbafaed424",
  // content_reviewer
  "6b4e9de2998e5c786314537f3af3d22c": "0fe57b6f29a56d3ec499fa6985f6da93",
  // content_reviser
  "9401f6e6d4449ddc1003d0bf34ce0b83": "944477f4295d333873083ad485c83d3e",
  // The same tools with reworded descriptions, before their names became aliases
  // web_fetch
  f7c3e0fb3a5f9cba649b8452f1a0c253: "4526de99997d9127d647f5927352d22c",
  // fetch_page
  e483bb9cb57170258baf6c742d9d6a18: "b5086f03599862e0ebfec01242650dfd",
  // parallel_fetch
  eb4386550873d666fa3445b382c26d86: "2fef70859a7c41f3c142edafa0a76331",
  // crawl_batch
  "8163f4501df3fe09e383d8c9f9497ffa": "e72acf6f30345614f5e2fd3cab2869d3",
  // youtubeTranscription
  "61fd6972078ed9c8d8a1e5e869a57d79": "d1d1a898d852d1d3c6fc13e564c43aec",
  // indexVault
  "74dc59e67c9270082a496a14a98fa4b8": "4dab8165f9c6e6cedb68aba1517d92ec",
  // localSearch
  baa1e87cc05074791b090e1fb11b3365: "e8c9ada8193c8c4aa52ff0858d3d39e4",
  // getFileTree
  "9704ccad18809053a84e708f808148bd": "b939379b61e447570cdf53730b6a4629",
  // get_time
  c774978398def4491a934ce7756b25ce: "9e9d8239be9b503937e1662f5460fe0d",
  // getCurrentTime
  "4ed0f405a68e252964562f8be58acbca": "253e28fed191f1f378aad3b9282f22ea",
  // getTimeRangeMs
  "224e8b34d262c9d967406ee64b9f9bf6": "553538e025fe999fef37ce6ccb8c0202",
};
