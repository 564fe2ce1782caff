import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { brief, planContext, planSpec, planText, plannedTool } from "../../../test/support/planning.ts";
import type { Problem } from "../../text/index.ts";
import { type AnyTool, ToolRegistry } from "../../tool/index.ts";
import type { PlanContext } from "./plan.ts";
import { parseChain } from "./parse-chain.ts";

/** One mistake: its description, the file after `name: a`, and the expected problem. */
type Row = readonly [
  what: string,
  yaml: string,
  /** The underlined text, and the problem's code. */
  text: string | readonly string[],
  says?: RegExp,
  context?: Partial<PlanContext>,
];

const oneStep = (rest: string): string => `steps: [{ id: x, tool: anything, ${rest} }]`;
const twoSteps = (rest: string): string =>
  `steps:\n  - { id: first, tool: find_photos, output: { as: photos } }\n  - { id: x, tool: anything, ${rest} }`;

const rows: readonly Row[] = [
  // The form of the file.
  ["a key of the file", `stpes: []\n${oneStep("timeout: 1")}`, "stpes <- unknown_key", /did you mean "steps"/],
  ["a key of a step", oneStep("parms: {}"), "parms <- unknown_key", /did you mean "params"/],
  [
    "a key of a fallback",
    `${oneStep("timeout: 1")}\nerror_handling: { fallback: [{ tool: anything, select: x }] }`,
    "select <- unknown_key",
  ],
  [
    "a key of an approval",
    oneStep("approval: { message: Go?, expire: 2m }"),
    "expire <- unknown_key",
    /did you mean "expires"/,
  ],
  ["a step without a tool", "steps: [{ id: x }]", "{ id: x } <- missing_key", /"tool"/],
  ["[P05] a wait that is empty", "steps: [{ id: x, wait: }]", "{ id: x, wait: } <- missing_key", /"wait"/],
  [
    "[P05] a wait that is no duration",
    "steps: [{ id: x, wait: soon }]",
    "soon <- wrong_type",
    /seconds above 0.*event/,
  ],
  ["[P05] a wait in words", "steps: [{ id: x, wait: 3 days }]", "3 days <- wrong_type", /write "3d"/],
  ["[P05] a wait of a negative time", "steps: [{ id: x, wait: -1 }]", "-1 <- wrong_type", /seconds above 0/],
  ["[P05] a wait of more than a year", "steps: [{ id: x, wait: 400d }]", "400d <- bad_duration", /365d/],
  ["[P05] a wait for nothing", "steps: [{ id: x, wait: {} }]", "{} <- bad_wait", /neither an event nor a time/],
  [
    "[P05] a wait for two things",
    'steps: [{ id: x, wait: { event: e, until: "2026-01-01T00:00:00Z" } }]',
    "until <- bad_wait",
    /not both.*timeout/s,
  ],
  [
    "[P05] a timeout without an event",
    'steps: [{ id: x, wait: { until: "2026-01-01T00:00:00Z", timeout: 1 } }]',
    "timeout <- bad_wait",
  ],
  [
    "[P05] a timeout of a wait that is no duration",
    "steps: [{ id: x, wait: { event: e, timeout: never } }]",
    "never <- wrong_type",
  ],
  [
    "[P05] a timeout of a wait of more than a year",
    "steps: [{ id: x, wait: { event: e, timeout: 900d } }]",
    "900d <- bad_duration",
  ],
  [
    "[P05] an unknown key of a wait",
    "steps: [{ id: x, wait: { evnt: e } }]",
    "evnt <- unknown_key",
    /did you mean "event"/,
  ],
  [
    "[P05] an event name with blanks",
    'steps: [{ id: x, wait: { event: "my event" } }]',
    '"my event" <- bad_event_name',
    /letters, digits/,
  ],
  [
    "[P05] a time without an offset",
    'steps: [{ id: x, wait: { until: "2026-01-01 08:00" } }]',
    '"2026-01-01 08:00" <- bad_moment',
    /offset/,
  ],
  [
    "[P05] a time that does not exist",
    'steps: [{ id: x, wait: { until: "2026-13-01T08:00:00Z" } }]',
    '"2026-13-01T08:00:00Z" <- bad_moment',
  ],
  ["[P05] a wait and a tool", "steps: [{ id: x, wait: 1, tool: anything }]", "tool <- waiting_step", /two steps/],
  [
    "[P05] keys of calls in a step that waits",
    "steps: [{ id: x, wait: { event: e }, timeout: 1, params: {}, retry: { max: 1 }, cache: { ttl: 1 }, approval: Go, compensate: { tool: anything }, untrusted: { path: allow } }]",
    ["timeout", "params", "retry", "cache", "approval", "compensate", "untrusted"].map(
      (key) => `${key} <- waiting_step`,
    ),
  ],
  [
    "[P05] an expression of a wait with a syntax error",
    'steps: [{ id: x, wait: "${input. }" }]',
    "} <- bad_expression",
  ],
  [
    "[P05] an unknown step in the timeout of a wait",
    'steps: [{ id: x, wait: { event: e, timeout: "${steps.y.output}" } }]',
    "y <- unknown_step",
  ],
  [
    "[P05] a field that the output of a timer lacks",
    'steps: [{ id: x, wait: 1 }, { id: y, tool: anything, params: { a: "${steps.x.output.when}" } }]',
    "when <- unknown_field",
    /started_at/,
  ],
  [
    "[P05] an event for a run that is not durable",
    "durable: false\nsteps: [{ id: x, wait: { event: e } }]",
    "false <- bad_wait",
    /durable/,
  ],
  ["no steps at all", "description: nothing", "name: a <- missing_key", /"steps"/],
  ["an empty list of steps", "steps: []", "[] <- bad_value", /must not be empty/],
  ["a version that is a number", `version: 2\n${oneStep("timeout: 1")}`, "2 <- wrong_type", /quotes/],
  [
    "a word that is none of those allowed",
    oneStep("retry: { backoff: exponental }"),
    "exponental <- bad_value",
    /did you mean "exponential"/,
  ],
  ["a duration that is none", oneStep('timeout: "soon"'), '"soon" <- wrong_type', /500ms/],
  ["a duration of nothing", oneStep("timeout: 0"), "0 <- wrong_type"],
  ["[H10] a timeout of more than a day", oneStep("timeout: 25h"), "25h <- bad_duration", /24h/],
  ["[H10] a timeout of 0", oneStep('timeout: "0s"'), '"0s" <- bad_duration', /above 0/],
  [
    "a name that no tool could have",
    `${oneStep("timeout: 1")}\n`.replace(/^/, ""),
    "1a <- bad_chain_name",
    /start with a letter.*use the name "chain-1a"/,
  ],
  // Names.
  [
    "an id that expressions could not read",
    "steps: [{ id: 'a b', tool: anything }]",
    "'a b' <- bad_id",
    /letters, digits/,
  ],
  ["an id that reaches into prototypes", "steps: [{ id: constructor, tool: anything }]", "constructor <- bad_id"],
  [
    "two steps of one id",
    "steps: [{ id: x, tool: anything }, { id: x, tool: anything }]",
    "x <- duplicate_id",
    /the 1st and the 2nd/,
  ],
  [
    "two steps of ids that look the same",
    "steps: [{ id: caf\u00e9, tool: anything }, { id: cafe\u0301, tool: anything }]",
    "cafe\u0301 <- duplicate_id",
    /looks the same but uses other characters: the 1st and the 2nd/,
  ],
  [
    "a reference that looks like an id",
    'steps: [{ id: caf\u00e9, tool: anything }, { id: x, tool: anything, params: { a: "${steps.cafe\u0301.output}" } }]',
    "cafe\u0301 <- unknown_step",
    /looks the same/,
  ],
  [
    "two steps of one as",
    "steps: [{ id: x, tool: anything, output: { as: o } }, { id: y, tool: anything, output: { as: o } }]",
    "o <- duplicate_as",
  ],
  ["an as that expressions could not read", oneStep("output: { as: 'a b' }"), "'a b' <- bad_as"],
  [
    "an input that cannot be",
    `input: { constructr: string, x: strng }\n${oneStep("timeout: 1")}`,
    "strng <- unknown_type",
    /did you mean "string"/,
  ],
  [
    "a default of another type",
    `input: { x: number=many }\n${oneStep("timeout: 1")}`,
    "many <- bad_default",
    /not of the type number/,
  ],
  [
    "a default of another type, described",
    `input: { x: { type: integer, default: 1.5 } }\n${oneStep("timeout: 1")}`,
    "1.5 <- bad_default",
  ],
  // References.
  ["a root that there is not", oneStep('params: { a: "${inptu.x}" }'), "inptu <- unknown_root", /did you mean "input"/],
  [
    "a step that there is not",
    twoSteps('params: { a: "${steps.frist.output}" }'),
    "frist <- unknown_step",
    /did you mean "first"/,
  ],
  [
    "a step that there is not, in brackets",
    twoSteps(`params: { a: '\${steps["frist"].output}' }`),
    '["frist"] <- unknown_step',
  ],
  [
    "a step that there is not, in depends_on",
    twoSteps("depends_on: [frist]"),
    "frist <- unknown_step",
    /did you mean "first"/,
  ],
  [
    "a step by a computed name",
    twoSteps('params: { a: "${steps[input.which].output}" }'),
    "steps[input.which].output <- unnamed_reference",
  ],
  ["all steps at once", twoSteps('params: { a: "${steps}" }'), "steps <- unnamed_reference"],
  [
    "a field that no step has",
    twoSteps('params: { a: "${steps.first.result}" }'),
    "result <- unknown_field",
    /steps.first.output/,
  ],
  [
    "a field that no error has",
    twoSteps('params: { a: "${steps.first.error.mesage}" }'),
    "mesage <- unknown_field",
    /did you mean "message"/,
  ],
  ["a field of a status", twoSteps('params: { a: "${steps.first.status.code}" }'), "code <- unknown_field", /a string/],
  [
    "a field that no failure has",
    oneStep(`retry: { when: "\${error.kind == 'x'}" }`),
    "kind <- unknown_field",
    /code, message and retry/,
  ],
  [
    "a loop over what is no list",
    'steps: [{ id: p, tool: find_photos }, { id: x, tool: anything, for_each: "${steps.p.output}" }]',
    '"${steps.p.output}" <- not_a_list',
    /images/,
  ],
  [
    "a loop over an input that is none",
    `input: { url: string }\n${oneStep('for_each: "${input.url}"')}`,
    '"${input.url}" <- not_a_list',
    /declare it as a list, such as url: string\[\]/,
  ],
  [
    "a loop over a number",
    'steps: [{ id: p, tool: find_photos }, { id: x, tool: anything, for_each: "${steps.p.output.total}" }]',
    '"${steps.p.output.total}" <- not_a_list',
    /a number/,
  ],
  [
    "a fallback's select that finds nothing",
    `${oneStep("timeout: 1")}\nerror_handling: { fallback: [{ tool: find_photos, output: { select: "$.imges" } }] }`,
    "imges <- unknown_field",
  ],
  [
    "a field that no run has",
    oneStep('params: { a: "${run.started}" }'),
    "started <- unknown_field",
    /did you mean "started_at"/,
  ],
  [
    "an input that is not declared",
    `input: { topic: string }\n${oneStep('params: { a: "${input.topci}" }')}`,
    "topci <- unknown_input",
    /did you mean "topic"/,
  ],
  [
    "a field that an input has not",
    `input: { t: { type: object, properties: { a: string } } }\n${oneStep('params: { a: "${input.t.b}" }')}`,
    "b <- unknown_field",
  ],
  [
    "a variable that is not declared",
    oneStep('params: { a: "${env.HOME}" }'),
    "HOME <- env_not_declared",
    /env: \[HOME\]/,
  ],
  [
    "a variable that the workspace keeps back",
    `env: [HOME]\n${oneStep('params: { a: "${env.HOME}" }')}`,
    "HOME <- env_not_allowed",
    /workspace/,
    { env: ["LANG"] },
  ],
  ["any variable", `env: [HOME]\n${oneStep('params: { a: "${env}" }')}`, "env <- unnamed_reference"],
  [
    "a secret that there is not",
    oneStep('params: { a: "${secret.API_KY}" }'),
    "API_KY <- unknown_secret",
    /did you mean "API_KEY"/,
    { secrets: ["API_KEY"] },
  ],
  ["a secret inside of a text", oneStep('params: { a: "key ${secret.API_KEY}" }'), "secret.API_KEY <- secret_misused"],
  [
    "a value of the context that looks like an as",
    twoSteps('params: { a: "${context.photo}" }'),
    "photo <- unknown_context (warning)",
    /did you mean "photos"/,
  ],
  ["all of the context", oneStep('params: { a: "${context}" }'), "context <- unnamed_reference"],
  ["an item outside of for_each", oneStep('params: { a: "${item.x}" }'), "item.x <- no_item", /add for_each/],
  [
    "an item in a condition",
    oneStep('for_each: [1], condition: "${item > 1}"'),
    "item <- no_item",
    /once for the whole list/,
  ],
  [
    "a round in a question",
    oneStep('repeat: { until: "${true}" }, approval: "round ${index}?"'),
    "index <- no_item",
    /the same in every round; .* params may use \$\{index\}/,
  ],
  ["an item in a question", oneStep('for_each: [1], approval: "${item}?"'), "item <- no_item", /every item/],
  ["an index in a question", oneStep('approval: "${index}?"'), "index <- no_item", /requested once/],
  ["an item in the output", `${oneStep("for_each: [1]")}\noutput: "\${item}"`, "item <- no_item", /steps\.ID\.output/],
  ["an index outside of loops", oneStep('params: { a: "${index}" }'), "index <- no_item"],
  [
    "an error where nothing failed",
    oneStep('params: { a: "${error.code}" }'),
    "error.code <- no_error",
    /steps.ID.error/,
  ],
  ["a step that reads itself", oneStep('params: { a: "${steps.x.output}" }'), "steps.x.output <- self_reference"],
  [
    "a repeated step that reads itself without a way out",
    oneStep('repeat: { until: "${true}" }, params: { a: "${steps.x.output}" }'),
    "steps.x.output <- self_reference",
    /\?\?/,
  ],
  ["a step that waits for itself", oneStep("depends_on: [x]"), "x <- self_reference"],
  [
    "a step that names itself by its as",
    oneStep('output: { as: o }, params: { a: "${context.o}" }'),
    "context.o <- self_reference",
  ],
  // Expressions.
  ["an expression that does not end", oneStep('params: { a: "${input.x" }'), "${input.x <- bad_expression", /\}/],
  [
    "a function that there is not",
    oneStep('params: { a: "${uper(input.x)}" }'),
    "uper <- unknown_function",
    /did you mean "upper"/,
  ],
  ["a function with too few arguments", oneStep('params: { a: "${join()}" }'), "join() <- arity"],
  ["a condition that cannot be read", oneStep('condition: "${1 >}"'), "} <- bad_expression"],
  [
    "a JSONPath that cannot be read",
    oneStep('output: { select: "results[*]" }'),
    "r <- bad_select",
    /starts with "\$"/,
  ],
  ["a list that is text", oneStep("for_each: input.list"), "input.list <- not_a_list", /\$\{input.list\}/],
  [
    "options of a loop without one",
    oneStep("concurrency: 2, tolerate: 1"),
    ["concurrency <- needs_for_each", "tolerate <- needs_for_each"],
  ],
  // Tools and their parameters.
  [
    "a tool that there is not",
    "steps: [{ id: x, tool: findNews2, params: { topic: a } }]",
    "findNews2 <- unknown_tool",
    /did you mean "find_news"/,
  ],
  [
    "a tool that nothing resembles",
    "steps: [{ id: x, tool: zzzzzzzzzzzz }]",
    "zzzzzzzzzzzz <- unknown_tool",
    /windlass tools/,
  ],
  [
    "a tool in the place of a chain",
    "description: A tool\nentry: { type: builtin, handler: echo }",
    "entry <- not_a_chain",
    /this file is a tool, not a chain move it to the folder of tools/,
  ],
  [
    "a tool whose file has errors",
    "steps: [{ id: x, tool: broken_search }, { id: y, tool: broken_search }]",
    "broken_search <- broken_tool",
    /broken_search is in tools\/search\.yaml, which has errors tools\/search\.yaml:3:9: unknown key "typ"/,
  ],
  [
    "a fallback's tool",
    `${oneStep("timeout: 1")}\nerror_handling: { fallback: [{ tool: anythin }] }`,
    "anythin <- unknown_tool",
  ],
  ["a compensation's tool", oneStep("compensate: { tool: anythin }"), "anythin <- unknown_tool"],
  [
    "a misspelled parameter",
    "steps: [{ id: x, tool: find_news, params: { topc: a } }]",
    "topc <- unknown_parameter",
    /did you mean "topic"/,
  ],
  [
    "a parameter that nothing resembles",
    "steps: [{ id: x, tool: find_news, params: { topic: a, zzz: 1 } }]",
    "zzz <- unknown_parameter",
    /parameters: topic, limit/,
  ],
  [
    "a parameter too many for a closed tool",
    "steps: [{ id: x, tool: closed, params: { zzz: 1 } }]",
    "zzz <- unknown_parameter",
  ],
  [
    "a parameter that is missing",
    "steps: [{ id: x, tool: find_news, params: { limit: 5 } }]",
    "params <- missing_parameter",
    /add "topic"/,
  ],
  [
    "misspelled params, which are not reported as missing, too",
    "steps: [{ id: x, tool: find_news, param: { topic: tides } }]",
    "param <- unknown_key",
    /did you mean "params"/,
  ],
  [
    "params under another name",
    "steps: [{ id: x, tool: find_news, with: { topic: tides } }]",
    "with <- unknown_key",
    /did you mean "params"/,
  ],
  [
    "a parameter that is missing where there are none",
    "steps: [{ id: x, tool: find_news }]",
    "find_news <- missing_parameter",
  ],
  [
    "a parameter that is missing further in",
    'steps: [{ id: x, tool: write_report, params: { title: t, options: { pages: "${input.n}" } } }]',
    "options <- missing_parameter",
    /"style".*in "options"/,
  ],
  [
    "a literal of another type",
    "steps: [{ id: x, tool: find_news, params: { topic: 5 } }]",
    "5 <- bad_parameter",
    /quotes/,
  ],
  [
    "a literal beyond the limit",
    "steps: [{ id: x, tool: find_news, params: { topic: a, limit: 500 } }]",
    "500 <- bad_parameter",
    /at most 50/,
  ],
  [
    "a literal beside expressions",
    'steps: [{ id: x, tool: find_news, params: { topic: "${input.t}", limit: 0 } }]',
    "0 <- bad_parameter",
    /at least 1/,
  ],
  [
    "a literal word further in",
    "steps: [{ id: x, tool: write_report, params: { title: t, options: { style: rihc } } }]",
    "rihc <- bad_parameter",
    /did you mean "rich"/,
  ],
  [
    "a literal that only the validator understands",
    "steps: [{ id: x, tool: patterned, params: { code: ABC } }]",
    "ABC <- bad_parameter",
    /pattern/,
  ],
  [
    "a fallback's literal",
    `${oneStep("timeout: 1")}\nerror_handling: { fallback: [{ tool: find_news, params: { topic: [] } }] }`,
    "[] <- bad_parameter",
  ],
  [
    "a field that an output has not",
    'steps: [{ id: p, tool: find_photos }, { id: x, tool: anything, params: { a: "${steps.p.output.imges}" } }]',
    "imges <- unknown_field",
    /did you mean "images"/,
  ],
  [
    "a field that the items of an output have not",
    'steps: [{ id: p, tool: find_photos }, { id: x, tool: anything, params: { a: "${steps.p.output[*].ulr}" } }]',
    "ulr <- unknown_field",
    /did you mean "url"/,
  ],
  [
    "a field of a list",
    'steps: [{ id: p, tool: find_news, params: { topic: a } }, { id: x, tool: anything, params: { a: "${steps.p.output.url}" } }]',
    "url <- unknown_field",
    /\[\*\].url/,
  ],
  [
    "a field of a number",
    'steps: [{ id: p, tool: find_photos }, { id: x, tool: anything, params: { a: "${steps.p.output.total.x}" } }]',
    "x <- unknown_field",
    /a number/,
  ],
  [
    "a field that items of a loop have not",
    'steps: [{ id: p, tool: find_photos }, { id: x, tool: anything, for_each: "${steps.p.output.images}", params: { a: "${item.ulr}" } }]',
    "ulr <- unknown_field",
    /did you mean "url"/,
  ],
  [
    "a field behind a select",
    'steps: [{ id: p, tool: find_photos, output: { select: "$.images[*]" } }, { id: x, tool: anything, params: { a: "${steps.p.output[0].ulr}" } }]',
    "ulr <- unknown_field",
  ],
  [
    "a field behind an as",
    'steps: [{ id: p, tool: find_photos, output: { as: o } }, { id: x, tool: anything, params: { a: "${context.o.totl}" } }]',
    "totl <- unknown_field",
  ],
  [
    "a field that has to be missing, provided for",
    'steps: [{ id: p, tool: find_photos }, { id: x, tool: anything, params: { a: "${steps.p.output.imges ?? 1}" } }]',
    "imges <- unknown_field (warning)",
  ],
  [
    "a select that finds nothing",
    'steps: [{ id: p, tool: find_photos, output: { select: "$.imges[*].url" } }]',
    "imges <- unknown_field",
    /did you mean "images"/,
  ],
  [
    "a cache on a tool that writes",
    "steps: [{ id: x, tool: send_mail, cache: { ttl: 60 } }]",
    "cache <- useless_cache",
    /effect: once/,
  ],
  [
    "a cache on a tool that may write",
    'steps: [{ id: x, tool: call_service, params: { method: "${input.m}" }, cache: { ttl: 60 } }]',
    "cache <- useless_cache (warning)",
  ],
  [
    "retries of a tool that must not run twice",
    "steps: [{ id: x, tool: send_mail, retry: { max: 2 } }]",
    "retry <- useless_retry (warning)",
    /idempotent/,
  ],
  ["a tool that is switched off", "steps: [{ id: x, tool: off }]", "off <- unavailable_tool (warning)", /disabled/],
  ["a schema that only its own document explains", "steps: [{ id: x, tool: unusable, params: { a: 1 } }]", []],
  // Secrets are passed only to tools.
  [
    "a secret in the output",
    `${oneStep("timeout: 1")}\noutput: { key: ["\${secret.TOKEN}"] }`,
    "secret.TOKEN <- secret_misused",
    /whole parameter/,
  ],
  [
    "a secret that tells results apart",
    oneStep('cache: { ttl: 1, key: "${secret.TOKEN}" }'),
    "secret.TOKEN <- secret_misused",
  ],
  [
    "a list of secrets",
    oneStep('for_each: ["${secret.TOKEN}"], params: { a: "${item}" }'),
    "secret.TOKEN <- secret_misused",
  ],
  ["a secret that is gone over", oneStep('for_each: "${secret.TOKEN}"'), "secret.TOKEN <- secret_misused"],
  ["a secret in a question", oneStep('approval: "${secret.TOKEN}"'), "secret.TOKEN <- secret_misused"],
  ["a secret that decides", oneStep('condition: "${secret.TOKEN}"'), "secret.TOKEN <- secret_misused"],
  [
    "a secret that is passed on",
    oneStep(
      'params: { a: "${secret.A}" }, error_handling: { fallback: [{ tool: anything, params: { b: ["${secret.B}"] } }] }, compensate: { tool: anything, params: { c: "${secret.C}" } }',
    ),
    [],
  ],
  // Mistakes of beginners.
  ["more failures than items", oneStep('for_each: [1], tolerate: "150%"'), '"150%" <- bad_value', /at most 100%.*100%/],
  [
    "a step without an id",
    "steps: [{ tool: web/find_news }]",
    /* not a tool either */ ["{ tool: web/find_news } <- missing_key", "web/find_news <- unknown_tool"],
    /id: web-find_news/,
  ],
  [
    "a step with a name",
    "steps: [{ name: x, tool: anything }]",
    ["{ name: x, tool: anything } <- missing_key", "name <- unknown_key"],
    /write "id" instead of "name"/,
  ],
  [
    "a step that uses something",
    "steps: [{ id: x, uses: anything }]",
    ["{ id: x, uses: anything } <- missing_key", "uses <- unknown_key"],
    /write "tool" instead of "uses"/,
  ],
  ["a step with arguments", oneStep("with: { a: 1 }"), "with <- unknown_key", /did you mean "params"/],
  ["a step with an if", oneStep("if: true"), "if <- unknown_key", /did you mean "condition"/],
  ["a step with an as of its own", oneStep("as: news"), "as <- unknown_key", /"output": \{ as: … \}/],
  ["tasks", `tasks: []\n${oneStep("timeout: 1")}`, "tasks <- unknown_key", /did you mean "steps"/],
  ["steps by name", "steps: { x: { tool: anything } }", "{ x: { tool: anything } } <- wrong_type", /- id: NAME/],
  ["a number of retries", oneStep("retry: 4"), "4 <- wrong_type", /retry: \{ max: 4 \}/],
  ["a cache that is on", oneStep("cache: true"), "true <- wrong_type", /cache: \{ ttl: 3600 \}/],
  ["a cache of some seconds", oneStep("cache: 60"), "60 <- wrong_type", /cache: \{ ttl: 60 \}/],
  ["a cache of some time", oneStep("cache: 1h"), "1h <- wrong_type", /cache: \{ ttl: 1h \}/],
  ["an approval without a question", oneStep("approval: true"), "true <- wrong_type", /approval: "Continue\?"/],
  ["no approval", oneStep("approval: false"), "false <- wrong_type", /remove it/],
  ["a number of rounds", oneStep("repeat: 3"), "3 <- wrong_type", /until: "\$\{…\}", max: 3/],
  ["a strategy alone", oneStep("error_handling: continue"), "continue <- wrong_type", /\{ strategy: continue \}/],
  ["an undo alone", oneStep("compensate: anything"), "anything <- wrong_type", /\{ tool: anything \}/],
  ["an as alone", oneStep("output: news"), "news <- wrong_type", /output: \{ as: news \}/],
  ["a select alone", oneStep("output: $.a"), "$.a <- wrong_type", /output: \{ select: "\$\.a" \}/],
  ["seconds in words", oneStep("timeout: 10 seconds"), "10 seconds <- wrong_type", /write 10 or "10s"/],
  ["minutes in words", oneStep("timeout: 2 Minutes"), "2 Minutes <- wrong_type", /write "2m"/],
  ["seconds in quotes", oneStep("timeout: '10'"), "'10' <- wrong_type", /write 10 or "10s"/],
  ["a delay in words", oneStep("retry: { delay: 1 min }"), "1 min <- wrong_type", /write "1m"/],
  [
    "an id that can be mended",
    "steps: [{ id: 'get the news!', tool: anything }]",
    "'get the news!' <- bad_id",
    /use the name "get-the-news"/,
  ],
  [
    "a step that there is not and nothing resembles",
    twoSteps("depends_on: [zzzzzz]"),
    "zzzzzz <- unknown_step",
    /steps: first, x/,
  ],
  [
    "braces of another language",
    twoSteps('params: { a: "of {{ steps.first.output.total }}" }'),
    "{{ steps.first.output.total }} <- foreign_template (warning)",
    /did you mean "\$\{steps\.first\.output\.total\}"/,
  ],
  [
    "a dollar before braces of another language",
    `input: { topic: string }\n${oneStep('params: { a: "${{ input.topic }}" }')}`,
    "{ <- bad_expression",
    /"\$\{input\.topic\}"/,
  ],
  [
    "an input in braces of another language",
    `input: { topic: string }\n${oneStep('params: { a: "{{topic}}", b: "${input.topic}" }')}`,
    "{{topic}} <- foreign_template (warning)",
    /"\$\{input\.topic\}"/,
  ],
  [
    "a step in braces of another language",
    twoSteps('params: { a: "{{ first.total }}" }'),
    "{{ first.total }} <- foreign_template (warning)",
    /"\$\{steps\.first\.output\.total\}"/,
  ],
  [
    "signs of another language",
    oneStep('params: { a: "<%= input.topic %>" }'),
    "<%= input.topic %> <- foreign_template (warning)",
    /"\$\{input\.topic\}"/,
  ],
  [
    "a dollar alone",
    `${twoSteps("timeout: 1")}\noutput: { a: [x, $steps.first.output.total] }`,
    "$steps.first.output.total <- foreign_template (warning)",
    /"\$\{steps\.first\.output\.total\}"/,
  ],
  [
    "an item with a dollar",
    oneStep("for_each: [1], params: { a: $item }"),
    "$item <- foreign_template (warning)",
    /"\$\{item\}"/,
  ],
  [
    "what is meant for a tool",
    `input: { topic: string }\n${oneStep('params: { a: "{{ name }} of ${input.topic}", b: "$item.price $5 $HOME $${input.x}", c: "<% who %>" }')}`,
    [],
  ],
  [
    "a status that there is not",
    twoSteps(`condition: "\${steps.first.status == 'sucess'}"`),
    "sucess <- unknown_status (warning)",
    /did you mean "success"/,
  ],
  [
    "a status of another language",
    twoSteps(`condition: "'completed' != steps.first.status"`),
    "completed <- unknown_status (warning)",
    /did you mean "success"/,
  ],
  [
    "a status that is",
    twoSteps(`condition: "\${steps.first.status == 'failed' || steps.first.status != 'skipped'}"`),
    [],
  ],
  [
    "what came from outside in a call that may do harm",
    'taint: strict\nsteps:\n  - { id: news, tool: anything }\n  - { id: x, tool: send_mail, params: { text: "see ${steps.news.output.text}" } }',
    "steps.news.output.text <- untrusted_input",
    /"send_mail" may be destructive.* step "news" \(anything\).*approval.*trusted_tools: \[anything\]/,
  ],
  ["another word for it", `taint: loose\n${oneStep("timeout: 1")}`, "loose <- bad_value", /one of show, strict/],
  [
    "an input that nothing uses",
    `input: { topic: string, tone: string? }\n${oneStep('params: { a: "${input.topic}" }')}`,
    "tone <- unused_input (warning)",
    /\$\{input\.tone\}/,
  ],
  [
    "an input that is offered on purpose",
    `input: { tone: { type: string, default: kind, description: For callers that state it. } }\n${oneStep("timeout: 1")}`,
    [],
  ],
  ["all inputs at once", `input: { topic: string, tone: string? }\n${oneStep('params: { a: "${input}" }')}`, []],
  [
    "a method",
    oneStep('params: { a: "${input.name.toUpperCase()}" }'),
    "( <- bad_expression",
    /write upper\(input\.name\)/,
  ],
  [
    "a method of a step",
    twoSteps('params: { a: "${steps.first.output.images.length() > 0}" }'),
    "( <- bad_expression",
    /write size\(steps\.first\.output\.images\)/,
  ],
  [
    "a function of another language",
    oneStep('params: { a: "${len(input.x)}" }'),
    "len <- unknown_function",
    /did you mean "size"/,
  ],
  // Failure handling.
  [
    "a strategy that there is not",
    `${oneStep("timeout: 1")}\nerror_handling: { strategy: "retry|falback" }`,
    "falback <- unknown_strategy",
    /did you mean "fallback"/,
  ],
  [
    "a strategy behind the end",
    `${oneStep("timeout: 1")}\nerror_handling: { strategy: "abort|retry" }`,
    '"abort|retry" <- unreachable_strategy (warning)',
  ],
  [
    "a fallback before the retry",
    `${oneStep("timeout: 1")}\nerror_handling: { strategy: "fallback|retry", fallback: [{ tool: anything }] }`,
    '"fallback|retry" <- strategy_order (warning)',
  ],
  [
    "a fallback to nothing",
    `${oneStep("timeout: 1")}\nerror_handling: { strategy: fallback }`,
    "fallback <- no_fallback (warning)",
  ],
  [
    "[H26] a fallback that reads a step which may still be running",
    'steps: [{ id: a, tool: anything }, { id: b, tool: anything, error_handling: { fallback: [{ tool: anything, params: { p: ["${steps.a.output}"] } }] } }]',
    "steps.a.output <- unfinished_step (warning)",
    /"b" does not wait for "a".*depends_on: \[a\] to "b"/,
  ],
  [
    "[H26] the condition of a chain's own fallback that reads a name of such a step",
    'steps: [{ id: a, tool: anything, output: { as: x } }, { id: b, tool: anything }]\nerror_handling: { fallback: [{ condition: "${context.x.ok}", tool: anything }] }',
    "context.x.ok <- unfinished_step (warning)",
    /"b" does not wait for "a"/,
  ],
  [
    "[H26] a retry that depends on such a step",
    'steps: [{ id: a, tool: anything }, { id: b, tool: anything, retry: { max: 1, when: "${steps.a.output.ok}" } }]',
    "steps.a.output.ok <- unfinished_step (warning)",
  ],
  // Cycles.
  [
    "steps that wait for each other",
    'steps: [{ id: a, tool: anything, params: { p: "${steps.b.output}" } }, { id: b, tool: anything, depends_on: [c] }, { id: c, tool: anything, condition: "${steps.a.output}" }]',
    "steps.b.output <- cycle",
    /a -> b -> c -> a/,
  ],
  ["a chain that calls itself", "steps: [{ id: x, tool: a }]", "a <- chain_cycle", /a -> a/],
  [
    "a chain that undoes a step with a chain",
    oneStep("condition: '${input.x}', compensate: { tool: a, params: { x: 1 } }"),
    "a <- chain_compensates",
  ],
];

const odd: readonly AnyTool[] = [
  plannedTool("closed", { input: { type: "object", properties: {}, additionalProperties: false } }),
  plannedTool("patterned", {
    input: { type: "object", properties: { code: { type: "string", pattern: "^[a-z]+$" } } },
  }),
  plannedTool("off", { status: "disabled" }),
  plannedTool("unusable", { input: { type: "object", properties: { a: { $ref: "#/properties/b" }, b: {} } } }),
];

const fileError: Problem = {
  severity: "error",
  code: "unknown_key",
  message: 'unknown key "typ"',
  file: "tools/search.yaml",
  line: 3,
  column: 9,
};

function contextOf(more: Partial<PlanContext> = {}): Partial<PlanContext> {
  const registry = new ToolRegistry();
  const { tools } = planContext();
  for (const tool of odd) registry.register(tool);
  const both = {
    resolve: (name: string) => tools.resolve(name) ?? registry.resolve(name),
    names: () => [...tools.names(), ...registry.names()],
    fileError: (name: string) => (name === "broken_search" ? fileError : undefined),
  };
  return { tools: both, ...more };
}

function underlined({ line, column, length = 1, code, severity }: Problem, text: string): string {
  const marked = text.split("\n")[line - 1]?.slice(column - 1, column - 1 + length);
  return `${marked} <- ${code}${severity === "error" ? "" : ` (${severity})`}`;
}

describe("every kind of mistake is reported at its position [A09]", () => {
  for (const [what, yaml, reported, says = /./, context] of rows) {
    test(`the position of ${what} is reported`, () => {
      const name = what === "a name that no tool could have" ? "1a" : "a";
      const text = `name: ${name}\n${yaml}`;
      const planned = planText(text, contextOf(context));
      expect(planned.problems.map((problem) => underlined(problem, text))).toEqual([reported].flat());
      const [first] = planned.problems;
      expect(`${first?.message} ${first?.hint}`).toMatch(says);
      expect(planned.plan === undefined).toBe(planned.problems.some(({ severity }) => severity === "error"));
    });
  }
});

test("the table above has every problem code of planning", () => {
  const folder = new URL(".", import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
  const sources = files.map((file) => readFileSync(new URL(file, folder), "utf8")).join("\n");
  const used = new Set([...sources.matchAll(/(?:\.add|#refuse)\(\s*"(\w+)"|code: "(\w+)"/g)].map(([, a, b]) => a ?? b));
  const reported = new Set(
    rows.flatMap(([, , expected]) => [expected].flat().map((entry) => / <- (\w+)/.exec(entry)?.[1])),
  );
  const ofTriggers = readFileSync(new URL("check-triggers.test.ts", folder), "utf8").matchAll(/\b[a-z]+_[a-z_]+\b/g);
  const elsewhere = new Set([
    ...[...ofTriggers].map(([code]) => code),
    // In check-untrusted-targets.test.ts: these tools need targets.
    "untrusted_target",
    "unused_setting",
    "not_json",
    "too_deep",
    "forbidden_key",
    "too_many_steps",
    "more_problems",
    "bad_snapshot",
    "broken_chain",
    "chain_invalid",
    "chains_too_deep",
    "required",
    "enum",
    "min",
    "max",
    "type",
  ]);
  expect([...used].filter((code) => !reported.has(code) && !elsewhere.has(code ?? ""))).toEqual([]);
});

test("no problem is reported for fields that a schema leaves open", () => {
  const open = [
    { type: "object" },
    { type: "object", properties: { a: {} }, additionalProperties: true },
    { type: "object", properties: { a: {} }, additionalProperties: { type: "string" } },
    {
      anyOf: [
        { type: "object", properties: { a: {} } },
        { type: "object", properties: { b: {} } },
      ],
    },
    { allOf: [{ type: "object", properties: { a: {} } }] },
    { type: "object", properties: { a: {} }, patternProperties: { "^x": {} } },
    { type: ["object", "string"], properties: { a: {} } },
    {},
  ];
  for (const output of open) {
    const registry = new ToolRegistry();
    registry.register(plannedTool("t", { output }));
    const steps = [
      { id: "a", tool: "t" },
      {
        id: "b",
        tool: "t",
        params: { x: "${steps.a.output.xyz}", y: "${steps.a.output[*].k}", z: "${steps.a.output.size}" },
      },
    ];
    expect(planSpec({ name: "open", steps }, { tools: registry }).problems).toEqual([]);
  }
});

test("[H26] a fallback may read a step that its own step waits for, and any step if it handles a missing value", () => {
  const fallback = (text: string) => `error_handling: { fallback: [{ tool: anything, params: { p: "${text}" } }] }`;
  const chain = (more: string) => `name: a
steps:
  - { id: first, tool: anything }
  - { id: second, tool: anything, depends_on: [first] }
  - { id: third, tool: anything, ${more} }`;
  for (const more of [
    `depends_on: [second], ${fallback("${steps.first.output}")}`,
    `params: { p: "\${steps.second.output}" }, ${fallback("${steps.first.output}")}`,
    fallback("${steps.first.output ?? 1}"),
    fallback("${default(steps.first.output, 1)}"),
    fallback("${steps.third.error.code}"),
  ])
    expect(brief(planText(chain(more)))).toEqual([]);
});

test("a field that a fallback may have is not reported as missing", () => {
  const fallback = "error_handling: { fallback: [{ tool: anything }] }";
  const step = (more: string): string =>
    `steps: [{ id: p, tool: find_photos${more} }, { id: x, tool: anything, params: { a: "\${steps.p.output.imges}" } }]`;
  expect(brief(planText(`name: a\n${step("")}`))).toHaveLength(1);
  expect(brief(planText(`name: a\n${step("")}\n${fallback}`))).toEqual([]);
  expect(brief(planText(`name: a\n${step(", error_handling: { fallback: [{ tool: find_photos }] }")}`))).toHaveLength(
    1,
  );
});

test("references and nullable schemas are resolved", () => {
  const registry = new ToolRegistry();
  const output = {
    $ref: "#/$defs/page",
    $defs: {
      page: { anyOf: [{ type: "null" }, { type: ["object", "null"], properties: { title: { type: "string" } } }] },
    },
  };
  registry.register(
    plannedTool("t", {
      output,
      input: {
        $ref: "#/$defs/in",
        $defs: { in: { type: "object", properties: { q: { type: "integer" } }, required: ["q"] } },
      },
    }),
  );
  const steps = [
    { id: "a", tool: "t", params: { q: 1 } },
    { id: "b", tool: "t", params: { q: "${steps.a.output.titel.x}", qq: 1 } },
  ];
  const reported = planSpec({ name: "refs", steps }, { tools: registry }).problems.map(
    ({ code, hint }) => `${code} ${hint}`,
  );
  expect(reported).toEqual(["unknown_parameter parameters: q", 'unknown_field did you mean "title"?']);
});

test("a misspelled key is reported once, and not as missing too", () => {
  const { problems } = planText('name: a\nsteps: [{ id: x, tool: find_news, params: { topc: "${input.t}" } }]');
  expect(problems.map(({ code }) => code)).toEqual(["unknown_parameter"]);
});

describe("hostile chains", () => {
  test("chains that are huge, deep, or not chains at all are rejected with a message", () => {
    const reported = (text: string): string[] => parseChain(text, { file: "a.yaml" }).problems.map(({ code }) => code);
    expect(reported("")).toEqual(["wrong_type"]);
    expect(reported("- a\n- b")).toEqual(["wrong_type"]);
    expect(reported("just text")).toEqual(["wrong_type"]);
    expect(reported(`name: ${"x".repeat(1 << 20)}`)).toEqual(["too_large"]);
    expect(reported("[".repeat(20_000))).toContain("too_deep");
    expect(reported("name: a\n__proto__: {}\nsteps: [{ id: x, tool: y, params: { constructor: 1 } }]")).toEqual([
      "forbidden_key",
      "forbidden_key",
    ]);
    expect(reported("name: &a x\nsteps: *a")).toContain("alias");
    expect(reported("name: a\nname: b\nsteps: [{ id: x, tool: y }]")).toEqual(["duplicate_key"]);
    expect(reported(`name: a\nsteps: [${"{},".repeat(20_001)}]`)).toEqual(["too_many_steps"]);
  });

  test("chains from code are rejected in the same way, for any kind of object", () => {
    const reported = (spec: unknown): string[] => planSpec(spec).problems.map(({ code }) => code);
    const cyclic: Record<string, unknown> = { name: "a", steps: [] };
    cyclic["self"] = cyclic;
    const deep = JSON.parse(`${'{"a":'.repeat(500)}1${"}".repeat(500)}`) as unknown;
    const step = { id: "x", tool: "anything" };
    expect(reported(undefined)).toEqual(["not_json"]);
    expect(reported(cyclic)).toEqual(["not_json"]);
    expect(reported(null)).toEqual(["wrong_type"]);
    expect(reported({ name: "a", steps: [{ ...step, params: { f: () => 1 } }] })).toEqual(["not_json"]);
    expect(reported({ name: "a", steps: [{ ...step, params: deep }] })).toEqual(["too_deep"]);
    expect(reported({ name: "a", steps: [{ ...step, params: JSON.parse('{"__proto__": 1}') as unknown }] })).toEqual([
      "forbidden_key",
    ]);
    expect(
      reported({
        get name(): string {
          throw new Error("no");
        },
      }),
    ).toEqual(["not_json"]);
    expect(reported({ name: "a", steps: Array.from({ length: 20_001 }, () => step) })).toEqual(["too_many_steps"]);
  });

  test("problems of chains from code have the path of the value", () => {
    const { problems } = planSpec({
      name: "a",
      steps: [{ id: "x", tool: "anything", params: { list: [{ q: "${input.}" }] } }],
    });
    expect(problems).toMatchObject([{ file: "<chain a>", line: 1, column: 1 }]);
    expect(problems[0]?.message).toMatch(/\(at steps\[0\]\.params\.list\[0\]\.q\)$/);
  });

  test("chains with thousands of mistakes are planned quickly, with the first thousand reported", () => {
    const steps = Array.from(
      { length: 5_000 },
      (_, index) => `- { id: s${index}, tool: nothing${index}, params: { a: "\${steps.t${index}.output}" } }`,
    );
    const { problems } = planText(`name: a\nsteps:\n${steps.join("\n")}`);
    expect(problems).toHaveLength(1_001);
    expect(problems.at(-1)).toMatchObject({ code: "more_problems", message: "and 9000 more problems" });
  });

  test("do not change the objects of the caller", () => {
    const spec = { name: "a", steps: [{ id: "x", tool: "anything", params: { list: [1] } }] };
    const { plan } = planSpec(spec);
    spec.steps[0]?.params.list.push(2);
    expect(plan?.spec.steps[0]?.params).toEqual({ list: [1] });
  });

  test("are planned even if the effect function of a tool throws", () => {
    const registry = new ToolRegistry();
    const thrower = plannedTool("thrower", {
      effect: () => {
        throw new Error("no");
      },
      input: { type: "object" },
    });
    registry.register(thrower);
    const { plan } = planSpec({ name: "a", steps: [{ id: "x", tool: "thrower" }] }, { tools: registry });
    expect(plan?.effect).toBe("once");
  });
});

describe("rows of the bad-inputs file about variables", () => {
  const all = JSON.parse(readFileSync(new URL("../../../test/data/bad-inputs.json", import.meta.url), "utf8")) as
    | { rows: unknown[] }
    | unknown[];
  const list = (Array.isArray(all) ? all : all.rows) as { area: string; input: unknown; expected: string }[];
  const env = list.filter(({ area }) => area === "env");

  test("there are some", () => {
    expect(env.length).toBeGreaterThan(0);
  });

  test.each(env)("$input is rejected", ({ input, expected }) => {
    const spec = {
      name: "a",
      env: [input],
      steps: [{ id: "x", tool: "anything", params: { a: `\${env["${String(input)}"]}` } }],
    };
    const codes = planSpec(spec, { env: ["API_BASE"] }).problems.map(({ code }) => code);
    expect(expected).toBe("refuse:env_not_allowed");
    expect(codes).toContain("env_not_allowed");
  });
});
