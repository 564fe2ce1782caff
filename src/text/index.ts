export { cutDisplay, displayWidth, graphemes, padDisplay } from "./display-width.ts";
export { formatDuration } from "./format-duration.ts";
export { formatProblem, formatProblems } from "./format-problem.ts";
export { type ParsedYaml, type YamlPath, parseYaml } from "./parse-yaml.ts";
export { type Position, type Problem, hasErrors } from "./problem.ts";
export { type Redactor, createRedactor } from "./redactor.ts";
export { showUnsafe, stripUnsafe } from "./strip-unsafe.ts";
export { suggest } from "./suggest.ts";
