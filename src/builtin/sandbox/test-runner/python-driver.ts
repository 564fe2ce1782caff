import { sandboxFolder, workFolder } from "../bubblewrap-arguments.ts";
import { type Driver, type DriverOptions, maxMessageChars } from "./driver.ts";
import type { TestProject } from "./test-project.ts";

/**
 * Runs inside the sandbox: tests with pytest if it is installed, else with unittest, which here also takes plain
 * functions named test_… and classes named Test…, as pytest does. Events go to a copy of the standard output, because
 * pytest captures what tests print. When the tests are done the process exits, even if threads are still running.
 *
 * A test that returns a coroutine has not run yet, so it is run; one that yields or returns a value never checked what
 * it was written for, which Python would accept.
 */
const driver = `
import importlib.util, json, os, sys, threading, traceback, types, unittest

def reporter():
    # The mark stays in here: no frame below which tests run holds it.
    mark, channel = sys.stdin.buffer.read(), os.dup(1)
    write, dumps = os.write, json.dumps

    def emit(**event):
        data = mark + dumps(event).encode() + b"\\n"
        while data:
            data = data[write(channel, data):]

    return emit

def judge(value):
    if isinstance(value, (types.GeneratorType, types.AsyncGeneratorType)):
        raise AssertionError("the test yields, so that nothing of it ran; write it without yield")
    if value is not None:
        raise AssertionError("the test returned %.200r instead of asserting; write assert, not return" % (value,))

def settle(value):
    if isinstance(value, types.CoroutineType):
        import asyncio
        value = asyncio.run(value)
    judge(value)

def hold_to_the_end():
    unittest.TestCase._callTestMethod = lambda self, method: settle(method())
    # Here, too, what a function gives is what its test gives.
    unittest.FunctionTestCase.runTest = lambda self: self._testFunc()

def hold_asynchronous_cases():
    # Loaded only by who uses it.
    module = sys.modules.get("unittest.async_case")
    if module:
        module.IsolatedAsyncioTestCase._callTestMethod = lambda self, method: judge(self._callMaybeAsync(method))

def main():
    emit = reporter()
    plan = json.loads(sys.argv[1])
    root = ${JSON.stringify(workFolder)}
    show, format_error = traceback.format_exc, traceback.format_exception
    has_pytest = importlib.util.find_spec("pytest") is not None
    reported = {"failed": 0}
    sys.argv[1:] = []
    sys.path.insert(0, root)
    sys.dont_write_bytecode = True

    def test(status, name, message=""):
        reported["failed"] += status == "failed"
        message = str(message)
        # What went wrong stands at the end.
        emit(kind="test", status=status, name=str(name)[:300], message=message[-${maxMessageChars}:])

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
        files = []
        for path in sorted(measured):
            try:
                with open(path, encoding="utf-8") as file:
                    lines = lines_of(compile(file.read(), path, "exec"))
            except (OSError, SyntaxError, ValueError):
                continue
            # The line where a module begins runs by itself.
            lines.discard(0)
            missed = sorted(line for line in lines if (path, line) not in ran)
            files.append({"path": path, "lines": len(lines), "missed": missed})
        emit(kind="coverage", files=files)

    class Result(unittest.TestResult):
        def name(self, case):
            return case._testFunc.__name__ if isinstance(case, unittest.FunctionTestCase) else case.id()
        def addSuccess(self, case):
            test("passed", self.name(case))
        def addFailure(self, case, error):
            test("failed", self.name(case), "".join(format_error(*error)))
        addError = addFailure
        def addSkip(self, case, reason):
            test("skipped", self.name(case), reason)
        def addExpectedFailure(self, case, error):
            test("passed", self.name(case))
        def addUnexpectedSuccess(self, case):
            test("failed", self.name(case), "it passed, and was expected to fail")
        def addSubTest(self, case, subtest, error):
            if error is not None:
                test("failed", subtest.id(), "".join(format_error(*error)))

    def module_of(path):
        name = os.path.splitext(path)[0].replace("/", ".")
        sys.path.insert(0, os.path.dirname(os.path.join(root, path)))
        spec = importlib.util.spec_from_file_location(name, os.path.join(root, path))
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    def with_unittest(path):
        try:
            module = module_of(path)
        except BaseException:
            return test("failed", path, show())
        hold_asynchronous_cases()
        suite = unittest.defaultTestLoader.loadTestsFromModule(module)
        for name, item in list(vars(module).items()):
            if getattr(item, "__module__", None) != module.__name__:
                continue
            if name.startswith("test") and isinstance(item, types.FunctionType):
                suite.addTest(unittest.FunctionTestCase(item))
            elif name.startswith("Test") and isinstance(item, type) and not issubclass(item, unittest.TestCase):
                suite.addTests(unittest.FunctionTestCase(method) for method in methods_of(item))
        suite.run(Result())

    def methods_of(kind):
        for name in dir(kind):
            if name.startswith("test") and callable(getattr(kind, name)):
                yield method_of(kind, name)

    def method_of(kind, name):
        def method():
            own = kind()
            inner = getattr(own, name)
            around(own, "setup_method", inner)
            try:
                settle(inner())
            finally:
                around(own, "teardown_method", inner)
        method.__name__ = kind.__name__ + "." + name
        return method

    def around(own, name, inner):
        hook = getattr(own, name, None)
        if hook:
            hook(*[inner][:hook.__code__.co_argcount - 1])

    class Plugin:
        def pytest_collection_finish(self, session):
            hold_asynchronous_cases()
        def pytest_pyfunc_call(self, pyfuncitem):
            names = pyfuncitem._fixtureinfo.argnames
            settle(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
            return True
        def pytest_runtest_logreport(self, report):
            if report.skipped:
                test("skipped", report.nodeid)
            elif report.failed:
                test("failed", report.nodeid, report.longreprtext)
            elif report.when == "call":
                test("passed", report.nodeid)
        def pytest_collectreport(self, report):
            if report.failed:
                test("failed", report.nodeid or path, report.longreprtext)

    def with_pytest(path):
        import pytest
        code = int(pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", root, path], plugins=[Plugin()]))
        # All passed, some failed, and no tests; anything else is a run that was broken off.
        if code not in (0, 1, 5) and not reported["failed"]:
            test("failed", path, "pytest broke off with exit code %d" % code)

    path = plan["path"]
    hold_to_the_end()
    if plan["coverage"]:
        sys.settrace(trace)
        threading.settrace(trace)
    try:
        (with_pytest if has_pytest else with_unittest)(path)
    except BaseException:
        test("failed", path, show())
    sys.settrace(None)
    if plan["coverage"]:
        coverage()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    emit(kind="end")

main()
os._exit(0)
`;

/** Tests in Python. */
export function pythonDriver({ tests, files }: TestProject, { path, coverage }: DriverOptions): Driver {
  const isTest = new Set(tests);
  const code = files.map(({ path }) => path).filter((path) => path.endsWith(".py") && !isTest.has(path));
  const plan = JSON.stringify({ path, coverage, code: code.length === 0 ? tests : code });
  return {
    command: ["python3", "-s", "-B", `${sandboxFolder}/run_tests.py`, plan],
    ownFiles: [{ path: "run_tests.py", content: driver }],
    env: { PYTHONUNBUFFERED: "1", PYTHONHASHSEED: "0" },
  };
}
