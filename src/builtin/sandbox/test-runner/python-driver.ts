import { ownFolder, workFolder } from "../bubblewrap-arguments.ts";
import type { Driver, DriverOptions } from "./node-driver.ts";
import type { TestProject } from "./test-project.ts";

/**
 * Runs inside the sandbox: tests with pytest where it is installed, else with unittest, which here also takes plain
 * functions named test_…; told as lines of JSON on a descriptor that the tests do not print to.
 */
const driver = `
import importlib.util, json, os, sys, threading, traceback, types, unittest

out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
os.dup2(2, 1)
plan = json.loads(sys.argv[1])
root = ${JSON.stringify(workFolder)}
sys.path.insert(0, root)
sys.dont_write_bytecode = True

def tell(**event):
    out.write(json.dumps(event) + "\\n")

def test(status, name, message=""):
    tell(kind="test", status=status, name=name, message=message)

measured = {os.path.join(root, path) for path in plan["code"]}
ran = set()

def trace(frame, event, arg):
    if frame.f_code.co_filename not in measured:
        return None
    if event == "line":
        ran.add((frame.f_code.co_filename, frame.f_lineno))
    return trace

def lines_of(code):
    found = {line for _, _, line in code.co_lines() if line}
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            found |= lines_of(const)
    return found

def coverage():
    total = hit = 0
    for path in measured:
        try:
            with open(path, encoding="utf-8") as file:
                lines = lines_of(compile(file.read(), path, "exec"))
        except (OSError, SyntaxError, ValueError):
            continue
        # The line where a module begins runs by itself.
        lines.discard(0)
        total += len(lines)
        hit += sum(1 for line in lines if (path, line) in ran)
    tell(kind="coverage", lines=100.0 * hit / total if total else 100.0)

class Result(unittest.TestResult):
    def name(self, case):
        return case._testFunc.__name__ if isinstance(case, unittest.FunctionTestCase) else case.id()
    def addSuccess(self, case):
        test("passed", self.name(case))
    def addFailure(self, case, error):
        test("failed", self.name(case), "".join(traceback.format_exception(*error)))
    addError = addFailure
    def addSkip(self, case, reason):
        test("skipped", self.name(case), reason)
    def addExpectedFailure(self, case, error):
        test("passed", self.name(case))
    def addUnexpectedSuccess(self, case):
        test("failed", self.name(case), "it passed, and was expected to fail")
    def addSubTest(self, case, subtest, error):
        if error is not None:
            test("failed", subtest.id(), "".join(traceback.format_exception(*error)))

def module_of(path):
    name = os.path.splitext(path)[0].replace("/", ".")
    sys.path.insert(0, os.path.dirname(os.path.join(root, path)))
    spec = importlib.util.spec_from_file_location(name, os.path.join(root, path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module

def with_unittest():
    for path in plan["tests"]:
        try:
            module = module_of(path)
        except BaseException:
            test("failed", path, traceback.format_exc())
            continue
        suite = unittest.defaultTestLoader.loadTestsFromModule(module)
        for name, item in list(vars(module).items()):
            if name.startswith("test") and isinstance(item, types.FunctionType) and item.__module__ == module.__name__:
                suite.addTest(unittest.FunctionTestCase(item))
        suite.run(Result())

class Plugin:
    def pytest_runtest_logreport(self, report):
        if report.skipped:
            test("skipped", report.nodeid)
        elif report.failed:
            test("failed", report.nodeid, report.longreprtext)
        elif report.when == "call":
            test("passed", report.nodeid)
    def pytest_collectreport(self, report):
        if report.failed:
            test("failed", report.nodeid or "(collection)", report.longreprtext)

def with_pytest():
    import pytest
    pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", root, *plan["tests"]], plugins=[Plugin()])

if plan["coverage"]:
    sys.settrace(trace)
    threading.settrace(trace)
(with_pytest if importlib.util.find_spec("pytest") else with_unittest)()
sys.settrace(None)
if plan["coverage"]:
    coverage()
tell(kind="end")
`;

/** Tests in Python. */
export function pythonDriver({ tests, files }: TestProject, { coverage }: DriverOptions): Driver {
  const isTest = new Set(tests);
  const code = files.map(({ path }) => path).filter((path) => path.endsWith(".py") && !isTest.has(path));
  const plan = JSON.stringify({ tests, coverage, code: code.length === 0 ? tests : code });
  return {
    command: ["python3", "-s", "-B", `${ownFolder}/run_tests.py`, plan],
    ownFiles: [{ path: "run_tests.py", content: driver }],
    env: { PYTHONUNBUFFERED: "1", PYTHONHASHSEED: "0" },
  };
}
