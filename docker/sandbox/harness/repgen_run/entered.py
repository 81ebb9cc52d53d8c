"""Which of the project's files run and which of its functions are entered, at next to no cost.

Functions that run while a project module is being imported are not counted: importing is not using.
"""

import _thread
import sys
import threading
import time
from types import CodeType

def watch(project, journal):
    """Starts to watch; `importing(path)` and `imported()` are to be called round the execution of each module."""
    watcher = (_Monitor if hasattr(sys, "monitoring") else _Tracer)(project, journal)
    sys.addaudithook(watcher.audit)
    return watcher


class _Watcher:
    def __init__(self, project, journal):
        self._root = project.rstrip("/") + "/"
        self._journal = journal
        self._known = {}
        self._files = set()
        self._functions = set()

    def audit(self, event, arguments):
        if event == "exec":
            code = arguments[0]
            if type(code) is CodeType and self.owns(code.co_filename):
                if code.co_filename not in self._files:
                    self._files.add(code.co_filename)
                    self._journal.append("imported", code.co_filename)
                self.executing(code)

    def owns(self, filename):
        owned = self._known.get(filename)
        if owned is None:
            owned = filename.startswith(self._root) and "/site-packages/" not in filename[len(self._root) - 1 :]
            self._known[filename] = owned
        return owned

    def note(self, code):
        """True for a function that was not noted before."""
        key = (code.co_filename, code.co_firstlineno, code.co_name)
        if key in self._functions:
            return False
        self._functions.add(key)
        self._journal.append("entered", key)
        return True

    def executing(self, code):
        """Code of a project file is about to run at module level."""


class _Monitor(_Watcher):
    """Python 3.12 and later: events of the project's own code objects, each of them once."""

    _TOOL = 4

    def __init__(self, project, journal):
        super().__init__(project, journal)
        self._monitoring = sys.monitoring
        self._frame = sys._getframe
        self._monitoring.use_tool_id(self._TOOL, "repgen")
        self._monitoring.register_callback(self._TOOL, self._monitoring.events.PY_START, self._start)

    def importing(self, _path):
        return False

    def imported(self):
        pass

    def stop(self):
        self._monitoring.register_callback(self._TOOL, self._monitoring.events.PY_START, None)

    def executing(self, code):
        for constant in code.co_consts:
            if type(constant) is CodeType:
                self._monitoring.set_local_events(self._TOOL, constant, self._monitoring.events.PY_START)
                self.executing(constant)

    def _start(self, code, _offset):
        frame = self._frame(1)
        while frame is not None:
            caller = frame.f_code
            if caller.co_name == "<module>" and self.owns(caller.co_filename):
                if frame.f_globals.get("__name__") != "__main__":
                    return None
            frame = frame.f_back
        self.note(code)
        return self._monitoring.DISABLE


class _Tracer(_Watcher):
    """Python 3.11 and earlier: call events after the first import of a project module, then samples of the stacks.

    Tracing slows the interpreter down, so that it pauses while anything is imported, and ends in a thread that has
    called many functions without one that is new. From then on only what a sample meets is noted.
    """

    _UNEVENTFUL_CALLS = 100_000
    _SAMPLE_SECONDS = 0.02

    def __init__(self, project, journal):
        super().__init__(project, journal)
        self._local = threading.local()
        self._set, self._get = sys.settrace, sys.gettrace
        self._frames, self._sleep = sys._current_frames, time.sleep
        self._begun = self._sampling = self._stopped = False

    def importing(self, path):
        local = self._local
        local.depth = getattr(local, "depth", 0) + 1
        self._begun = self._begun or self.owns(path)
        if self._begun and self._get() is getattr(local, "tracer", self):
            self._set(None)
        return True

    def imported(self):
        self._local.depth -= 1
        if self._begun and self._local.depth == 0:
            self._trace()

    def executing(self, code):
        self._begun = True
        if getattr(self._local, "depth", 0) == 0:
            self._trace()

    def stop(self):
        self._stopped = True
        threading.settrace(None)
        if self._get() is getattr(self._local, "tracer", self):
            self._set(None)

    def _trace(self):
        """Traces this thread unless its tracing has ended or the script traces it, and threads to come."""
        if self._stopped or self._get() is not None:
            return
        if not hasattr(self._local, "tracer"):
            self._local.tracer = self._tracer()
            threading.settrace(self._trace_thread)
        self._set(self._local.tracer)

    def _trace_thread(self, _frame, _event, _argument):
        self._set(None)
        self._trace()

    def _tracer(self):
        known, owns, note = self._known, self.owns, self.note
        left = limit = self._UNEVENTFUL_CALLS

        def called(frame, _event, _argument):
            nonlocal left
            code = frame.f_code
            owned = known.get(code.co_filename)
            if (owned or (owned is None and owns(code.co_filename))) and note(code):
                left = limit
                return
            left -= 1
            if left < 0:
                self._set(None)
                self._sample()

        return called

    def _sample(self):
        if not self._sampling:
            self._sampling = True
            _thread.start_new_thread(self._sample_forever, ())

    def _sample_forever(self):
        while not self._stopped:
            self._sleep(self._SAMPLE_SECONDS)
            for frame in self._frames().values():
                self._note_stack(frame)

    def _note_stack(self, frame):
        found = []
        while frame is not None:
            code = frame.f_code
            if self.owns(code.co_filename):
                if code.co_name == "<module>" and frame.f_globals.get("__name__") != "__main__":
                    found.clear()
                found.append(code)
            frame = frame.f_back
        for code in found:
            self.note(code)
