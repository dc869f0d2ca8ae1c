"""A pytest plugin that writes what happens to each test, as it happens, to a file.

The file is named by CLIENT_RECORD; a line is an outcome, a tab and the test's name. A test that has
a line already is left out, so a suite that ended in a crash can be taken up after the test that
crashed.
"""

import ctypes
import os

# dpctl looks for an OpenCL library that is loaded already, and when there is none it closes the one
# that it did not find at the end of the process, which crashes. This one stays loaded.
ctypes.CDLL("libOpenCL.so.1")

PATH = os.environ["CLIENT_RECORD"]


def write(outcome, name):
    """Appends one line; the file is closed after each, because the process may end at any time."""
    with open(PATH, "a", encoding="utf-8") as record:
        record.write(f"{outcome}\t{name}\n")


def pytest_collection_modifyitems(config, items):
    """Leaves out what the file holds."""
    with open(PATH, encoding="utf-8") as record:
        seen = {line.rstrip("\n").split("\t", 1)[1] for line in record}
    left_out = [item for item in items if item.nodeid in seen]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item.nodeid not in seen]


def pytest_collectreport(report):
    """A file that cannot be imported is a failure."""
    if report.failed:
        write("failed", report.nodeid)


def pytest_runtest_logstart(nodeid, location):
    """Names the test before it runs."""
    del location
    write("started", nodeid)


def pytest_runtest_logreport(report):
    """Writes the outcome of a phase; the worst one of a test counts."""
    if report.failed:
        write("failed", report.nodeid)
    elif report.skipped:
        write("skipped", report.nodeid)
    elif report.when == "call":
        write("passed", report.nodeid)
