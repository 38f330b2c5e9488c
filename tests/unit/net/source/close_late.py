"""Closes a source while another thread is in a call, for source_python_test.cpp, with a library that
tells what it was called for."""
import os
import signal
import threading

import numpy
import tilewall_source


class Library:
    """Puts take until the test lets them end."""

    def __init__(self):
        self.calls = []
        self.has_begun, self.may_end = threading.Event(), threading.Event()

    def tilewall_options_init(self, options):
        pass

    def tilewall_open(self, where, name, rank, ranks, grid, options, handle):
        handle.value = 1
        return 0

    def tilewall_put(self, *arguments):
        self.has_begun.set()
        self.may_end.wait(20)
        self.calls.append("put")
        return 0

    def tilewall_news(self, handle):
        return b"news"

    def tilewall_close(self, handle):
        self.calls.append("close")


library = tilewall_source._library = Library()
source = tilewall_source.Source("wall", "a", (2, 2, 2))
putting = threading.Thread(target=source.put, args=("u", numpy.zeros((2, 2, 2), "f4")))
putting.start()
assert library.has_begun.wait(20)
assert source.news == "news"  # no call waits for a put without need

child = os.fork()
if child == 0:
    signal.alarm(20)  # ends it where it waits for the lock of a thread that it does not have
    source.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0

closing = threading.Thread(target=source.close)
closing.start()
closing.join(0.2)  # as long as the put goes on, whatever the time
assert closing.is_alive()
assert library.calls == []
library.may_end.set()
putting.join()
closing.join()
assert library.calls == ["put", "close"]
source.close()
assert library.calls == ["put", "close"]
