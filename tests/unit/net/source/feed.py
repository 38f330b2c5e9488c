"""A simulation for source_python_test.cpp: feeds three timesteps, of which the values tell the place.

feed.py FOLDER: writes the port on which walls may connect to FOLDER/port.
"""
import os
import sys
import time

import numpy
import tilewall_source

folder = sys.argv[1]
shape = (5, 6, 7)  # z, y, x
z, y, x = numpy.indices(shape)
values = (x + 10 * y + 100 * z).astype(numpy.float32)


def refused(error, call, *arguments, **words):
    try:
        call(*arguments, **words)
    except error as found:
        return str(found)
    raise AssertionError(f"expected {error.__name__} of {arguments}")


class Comm:  # as mpi4py's
    def Get_rank(self):
        return 2

    def Get_size(self):
        return 3


where = "listen:127.0.0.1:0"
assert "grid" in refused(tilewall_source.SourceError, tilewall_source.Source, where, "a", (1, 2, 8193))
assert "3 numbers" in refused(ValueError, tilewall_source.Source, where, "a", (1, 2))
assert "grid: expected a whole number, found 1.5" in refused(
    ValueError, tilewall_source.Source, where, "a", (1, 2, 1.5))
assert "rank: expected" in refused(
    ValueError, tilewall_source.Source, where, "a", shape, rank=2 ** 32)
assert "memory: expected 0 to" in refused(
    ValueError, tilewall_source.Source, where, "a", shape, memory=-1)
assert "order" in refused(ValueError, tilewall_source.Source, where, "a", shape, order="K")

with tilewall_source.Source(where, "feed", shape, comm=Comm(), spacing=(3, 2, 1),
                            units="mm", linger_s=20) as source:
    with open(os.path.join(folder, "port.new"), "w") as file:
        file.write(str(source.port))
    os.rename(os.path.join(folder, "port.new"), os.path.join(folder, "port"))
    assert "within the grid" in refused(tilewall_source.SourceError, source.put, "u", values, (1, 0, 0))
    for wrong in (2 ** 64, -2 ** 64, 2 ** 63):  # which would be 0, 0 and -2 ** 63 in C
        assert "begin: expected" in refused(ValueError, source.put, "u", values, (wrong, 0, 0))
        assert "ghosts: expected" in refused(ValueError, source.put, "u", values, ghosts=wrong)
    assert "ghosts: expected a whole" in refused(ValueError, source.put, "u", values, ghosts=0.5)
    assert "3 axes" in refused(ValueError, source.put, "u", values[0])
    assert "real numbers" in refused(ValueError, source.put, "u", values.astype(complex))
    padded = numpy.full([side + 3 for side in shape], -1, numpy.float32)
    padded[1:-2, 1:-2, 1:-2] = values
    layouts = [
        lambda: source.put("u", values),
        lambda: source.put("u", padded, ghosts=[(1, 2)] * 3),
        lambda: source.put("u", padded[:-1, :-1, :-1], (numpy.int32(0),) * 3, numpy.int64(1)),
        lambda: source.put("u", padded[:-1, :-1, :], ghosts=[numpy.int64(1), 1, (1, 2)]),
        lambda: source.put("u", numpy.asfortranarray(values)),
        lambda: source.put("u", values[::-1, ::-1, ::-1][::-1, ::-1, ::-1]),
        lambda: source.put("u", values.astype(">f4")),
        lambda: [source.put("u", values[:, :2]), source.put("u", values[:, 2:], begin=(0, 2, 0))],
    ]
    layouts[0]()  # makes the field known
    source.end_step(0)
    while source.statistics.walls == 0 or not source.wanted():
        source.end_step(-1)
        time.sleep(0.001)
    for layout in layouts:
        assert source.wanted("u") and not source.wanted("v")
        layout()
        values += 0  # the array is ours again
        source.end_step(source.statistics.kept)
    assert source.statistics.kept == len(layouts)
assert "closed one" in refused(tilewall_source.SourceError, source.end_step, 1)
