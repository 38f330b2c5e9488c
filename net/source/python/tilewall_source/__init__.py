"""Feeds the timesteps of a running simulation to a tilewall display wall.

    import numpy, tilewall_source
    with tilewall_source.Source("wall:7643", "heat", grid=(64, 128, 128)) as source:
        for step in range(1000):
            ...
            source.put("temperature", values)
            source.end_step(time)

Shapes, boxes and ghosts have the order of the array's axes: (z, y, x), as in values[z, y, x], or
(x, y, z) with order="F". Arrays may have any strides; an array that NumPy has to convert (another
type, byte order) is copied first. The library never prints and never blocks a simulation for longer
than a wall's policy allows (tilewall_source.h has the rules).

Any thread may call. close() waits for the calls of other threads that are under way.

This is a loader of libtilewall_source.so by ctypes, and compiles nothing. It looks for the library
in the file or folder that TILEWALL_SOURCE_LIBRARY names, then where the system does.
"""

import collections
import contextlib
import ctypes
import operator
import os
import threading

import numpy

__all__ = ["Source", "SourceError", "Statistics"]
__version__ = "0.1.0"

_STATUS_OK = 0
_TYPES = {"|u1": 0, "<u2": 1, "<f4": 2, "<f8": 3}
_Triple = ctypes.c_int64 * 3


class SourceError(RuntimeError):
    """A call that failed. `status` is its tilewall_status."""

    def __init__(self, status, line):
        super().__init__(line)
        self.status = status


class _Box(ctypes.Structure):
    _fields_ = [("begin", _Triple), ("end", _Triple)]


class _Ghosts(ctypes.Structure):
    _fields_ = [("before", _Triple), ("after", _Triple)]


class _Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("spacing", ctypes.c_double * 3),
        ("origin", ctypes.c_double * 3),
        ("units", ctypes.c_char_p),
        ("key_file", ctypes.c_char_p),
        ("key_hex", ctypes.c_char_p),
        ("wait_s", ctypes.c_double),
        ("linger_s", ctypes.c_double),
        ("memory", ctypes.c_uint64),
    ]


class _Statistics(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("timesteps", ctypes.c_uint64),
        ("kept", ctypes.c_uint64),
        ("held_back", ctypes.c_uint64),
        ("bytes_sent", ctypes.c_uint64),
        ("bytes_held", ctypes.c_uint64),
        ("most_bytes_held", ctypes.c_uint64),
        ("not_shown", ctypes.c_uint64),
        ("waited_s", ctypes.c_double),
        ("walls", ctypes.c_uint32),
        ("f64_fields", ctypes.c_uint32),
    ]


Statistics = collections.namedtuple("Statistics", [name for name, _ in _Statistics._fields_[1:]])


def _open_library():
    name = "libtilewall_source.so.1"
    given = os.environ.get("TILEWALL_SOURCE_LIBRARY", "")
    path = os.path.join(given, name) if os.path.isdir(given) else given or name
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"expected {name} where the system looks for libraries, or its place in "
            f"TILEWALL_SOURCE_LIBRARY: {error}"
        ) from error
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    calls = {
        "options_init": (None, [ctypes.POINTER(_Options)]),
        "open": (number, [text, text, number, number, _Triple, ctypes.POINTER(_Options),
                          ctypes.POINTER(pointer)]),
        "field": (number, [pointer, text, text]),
        "put": (number, [pointer, text, ctypes.POINTER(_Box), ctypes.POINTER(_Ghosts), _Triple,
                         number, pointer]),
        "end_step": (number, [pointer, ctypes.c_double]),
        "wanted": (number, [pointer, text]),
        "get_statistics": (number, [pointer, ctypes.POINTER(_Statistics)]),
        "port": (number, [pointer]),
        "close": (number, [pointer]),
        "error": (text, [pointer]),
        "news": (text, [pointer]),
    }
    for call, (result, arguments) in calls.items():
        function = getattr(library, "tilewall_" + call)
        function.restype, function.argtypes = result, arguments
    return library


_library = _open_library()


def _bytes(text):
    return None if text is None else os.fsencode(text)


def _whole(what, value, bits=64, least=None):
    """The number as an int. ctypes would take what the C type cannot hold as another number."""
    least = -2 ** (bits - 1) if least is None else least
    most = least + 2 ** bits - 1
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{what}: expected a whole number, found {value!r}") from None
    if not least <= number <= most:
        raise ValueError(f"{what}: expected {least} to {most}, found {number}")
    return number


class Source:
    """One rank of a source.

    where      "HOST[:PORT]" of a wall, "listen:ADDRESS[:PORT]" to let walls connect, or several of
               them with commas between
    name       of the source
    grid       voxels along each axis of the whole grid, in the order of the arrays' axes
    rank, ranks, or comm: an mpi4py communicator that has both
    order      "C": arrays are values[z, y, x]; "F": values[x, y, z]
    spacing, origin   in the order of the axes, too
    key_file, key_hex, units, wait_s, linger_s, memory   see tilewall_options in tilewall_source.h
    """

    _handle = None
    _process = None

    def __init__(self, where, name, grid, rank=0, ranks=1, *, comm=None, order="C",
                 spacing=(1, 1, 1), origin=(0, 0, 0), units=None, key_file=None, key_hex=None,
                 wait_s=60.0, linger_s=1.0, memory=0):
        self._process = os.getpid()
        # Calls that take turns, and those that do not wait for them; close() waits for both. Both can
        # be entered again, because a signal's handler may call from within a call.
        self._turn, self._look = threading.RLock(), threading.RLock()
        if order not in ("C", "F"):
            raise ValueError(f'order: expected "C" or "F", found {order!r}')
        if comm is not None:
            rank, ranks = comm.Get_rank(), comm.Get_size()
        self._order = order
        options = _Options()
        _library.tilewall_options_init(options)
        options.spacing[:] = [float(value) for value in self._xyz("spacing", spacing)]
        options.origin[:] = [float(value) for value in self._xyz("origin", origin)]
        options.units, options.key_file, options.key_hex = map(_bytes, (units, key_file, key_hex))
        options.wait_s, options.linger_s = wait_s, linger_s
        options.memory = _whole("memory", memory, least=0)
        handle = ctypes.c_void_p()
        status = _library.tilewall_open(_bytes(where), _bytes(name), _whole("rank", rank, bits=32),
                                        _whole("ranks", ranks, bits=32),
                                        self._triple("grid", grid), options, handle)
        if status != _STATUS_OK:
            raise SourceError(status, _library.tilewall_error(None).decode(errors="replace"))
        self._handle = handle

    def set_units(self, field, units):
        """Names the units of a field before its first put."""
        with self._held(self._turn):
            self._check(_library.tilewall_field(self._handle, _bytes(field), _bytes(units)))

    def put(self, field, array, begin=None, ghosts=None):
        """Puts a box of a field's values of this timestep; the array may change afterwards.

        begin   the place of the array's first own voxel in the grid; None: (0, 0, 0)
        ghosts  layers that the array has around its own voxels: a number, one for each axis, or a
                pair (before, after) for each axis
        """
        values = numpy.asarray(array)
        if values.ndim != 3:
            raise ValueError(f"array: expected 3 axes, found {values.ndim}")
        if values.dtype.str not in _TYPES:
            values = values.astype(self._type_for(values.dtype))
        layers = self._layers(ghosts)
        own = [side - sum(pair) for side, pair in zip(values.shape, layers)]
        first = (0, 0, 0) if begin is None else tuple(begin)
        first = [_whole("begin", at) for at in first]
        box = _Box(self._triple("begin", first),
                   self._triple("end", [at + side for at, side in zip(first, own)]))
        around = _Ghosts(self._triple("ghosts", [before for before, _ in layers]),
                         self._triple("ghosts", [after for _, after in layers]))
        strides = self._triple("strides", values.strides)
        with self._held(self._turn):
            self._check(_library.tilewall_put(self._handle, _bytes(field), box, around, strides,
                                              _TYPES[values.dtype.str], values.ctypes.data))

    def end_step(self, time):
        """Ends the timestep; time is the simulation's."""
        with self._held(self._turn):
            self._check(_library.tilewall_end_step(self._handle, float(time)))

    def wanted(self, field=None):
        """Whether the field (None: any) will be sent in this timestep."""
        with self._held(self._turn):
            return _library.tilewall_wanted(self._handle, _bytes(field)) != 0

    @property
    def statistics(self):
        counts = _Statistics()
        counts.size = ctypes.sizeof(counts)
        with self._held(self._look):
            self._check(_library.tilewall_get_statistics(self._handle, counts))
        return Statistics(*(getattr(counts, name) for name in Statistics._fields))

    @property
    def port(self):
        """The port on which walls may connect; 0: none."""
        with self._held(self._look):
            return _library.tilewall_port(self._handle)

    @property
    def news(self):
        """The newest line about a wall, such as one that was refused; "" if there is none."""
        with self._held(self._look):
            return _library.tilewall_news(self._handle).decode(errors="replace")

    def close(self):
        """Ends the source, after the calls of other threads that are under way."""
        with self._held(self._turn), self._held(self._look):
            handle, self._handle = self._handle, None
            if handle is not None:
                _library.tilewall_close(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def _held(self, lock):
        """The lock; in a forked child, where a thread of the parent may have held it, none."""
        return lock if os.getpid() == self._process else contextlib.nullcontext()

    def _check(self, status):
        if status == _STATUS_OK:
            return
        if self._handle is None:
            raise SourceError(status, "source: expected an open one, found a closed one")
        raise SourceError(status, _library.tilewall_error(self._handle).decode(errors="replace"))

    def _xyz(self, what, values):
        values = list(values)
        if len(values) != 3:
            raise ValueError(f"{what}: expected 3 numbers, found {len(values)}")
        return values if self._order == "F" else values[::-1]

    def _triple(self, what, values):
        return _Triple(*(_whole(what, value) for value in self._xyz(what, values)))

    @staticmethod
    def _layers(ghosts):
        def pair(one):
            before, after = one if numpy.iterable(one) else (one, one)
            return _whole("ghosts", before), _whole("ghosts", after)

        if numpy.iterable(ghosts):
            return [pair(one) for one in ghosts]
        return [pair(0 if ghosts is None else ghosts)] * 3

    @staticmethod
    def _type_for(dtype):
        """The type of those that are sent which holds most of another one."""
        if dtype.kind == "b" or (dtype.kind == "u" and dtype.itemsize == 1):
            return "u1"
        if dtype.kind == "u" and dtype.itemsize == 2:
            return "<u2"
        if dtype.kind in "iuf":
            return "<f4"
        raise ValueError(f"array: expected whole or real numbers, found {dtype}")
