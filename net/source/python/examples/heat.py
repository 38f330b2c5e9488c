"""Heat in a box with one hot face and a moving source, shown on a wall: tilewall view tilewall://HOST:7644/heat

python3 heat.py [WHERE] [STEPS], where WHERE is "listen:127.0.0.1:7644" unless it is given.
"""
import os
import sys

import numpy
try:
    import tilewall_source
except ImportError:  # not installed: use this tree and its build
    tree = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../..")
    sys.path.append(os.path.join(tree, "net/source/python"))
    os.environ.setdefault("TILEWALL_SOURCE_LIBRARY", os.path.join(tree, "build/release"))
    import tilewall_source

where = sys.argv[1] if len(sys.argv) > 1 else "listen:127.0.0.1:7644"
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
shape = (48, 64, 64)  # z, y, x
heat = numpy.zeros([side + 2 for side in shape], numpy.float32)  # one layer of boundary around
z, y, x = numpy.indices(shape, numpy.float32)
diffusion, dt = 0.15, 1.0

with tilewall_source.Source(where, "heat", shape, spacing=(1, 1, 1), units="cm") as source:
    source.set_units("temperature", "K")
    for step in range(steps):
        heat[0] = 20  # the hot face; the others stay at 0
        own = heat[1:-1, 1:-1, 1:-1]
        near = (heat[:-2, 1:-1, 1:-1] + heat[2:, 1:-1, 1:-1] + heat[1:-1, :-2, 1:-1] +
                heat[1:-1, 2:, 1:-1] + heat[1:-1, 1:-1, :-2] + heat[1:-1, 1:-1, 2:])
        angle = step * 0.02
        distance = (x - 32 - 18 * numpy.cos(angle)) ** 2 + (y - 32 - 18 * numpy.sin(angle)) ** 2
        own += dt * (diffusion * (near - 6 * own) + 4 * numpy.exp(-(distance + (z - 24) ** 2) / 20))
        source.put("temperature", heat, ghosts=1)
        source.end_step(step * dt)
