#!/usr/bin/env python3
"""Writes small volumes of the kinds that climate, ocean, cosmology and CFD groups bring, to be looked at:

    python3 -m pip install numpy netCDF4
    tests/data/volumes.py FOLDER
    tilewall view FOLDER/levels.nc --wall wallconfigs/5x3.toml --annotate audience
"""
import pathlib
import sys

import netCDF4
import numpy


def write_field(file, name, unit, axes, values, **attributes):
    """A CF file of one field. `axes`: (name, coordinates, attributes), the slowest one first."""
    with netCDF4.Dataset(file, "w") as to:
        for axis, coordinates, about in axes:
            to.createDimension(axis, len(coordinates))
            variable = to.createVariable(axis, "f8", (axis,))
            variable[:] = coordinates
            variable.setncatts(about)
        field = to.createVariable(name, "f4", [axis[0] for axis in axes], fill_value=1e20)
        field.setncatts({"units": unit, **attributes})
        field[:] = values


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    north = {"units": "degrees_north", "standard_name": "latitude"}
    east = {"units": "degrees_east", "standard_name": "longitude"}

    # Temperature on pressure levels, which are uneven and fall with height.
    levels = numpy.array([1000, 925, 850, 700, 500, 400, 300, 250, 200, 150, 100, 50, 20, 10.0])
    lat, lon = numpy.linspace(-80, 80, 41), numpy.linspace(0, 355, 72)
    height = 7.4 * numpy.log(1013 / levels)[:, None, None]
    warm = 288 - 6.5 * numpy.minimum(height, 11) - 0.006 * lat[None, :, None] ** 2
    wave = 6 * numpy.sin(numpy.radians(3 * lon))[None, None, :] * numpy.cos(numpy.radians(lat))[None, :, None]
    write_field(folder / "levels.nc", "ta", "K",
                [("plev", levels, {"units": "hPa", "standard_name": "air_pressure", "positive": "down"}),
                 ("lat", lat, north), ("lon", lon, east)], warm + wave, standard_name="air_temperature")

    # Wind on a rotated pole's grid.
    rlat, rlon = numpy.linspace(-20, 20, 61), numpy.linspace(-30, 30, 91)
    storm = 30 * numpy.exp(-((rlat[:, None] - 5) ** 2 + (rlon[None, :] + 8) ** 2) / 60)
    write_field(folder / "rotated.nc", "wind_speed", "m s-1",
                [("rlat", rlat, {"units": "degrees", "standard_name": "grid_latitude"}),
                 ("rlon", rlon, {"units": "degrees", "standard_name": "grid_longitude"})], storm + 3)

    # Salinity at depths that are closer at the surface, with land and a floor.
    depth = numpy.array([0, 5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 4000.0])
    lat, lon = numpy.linspace(20, 60, 81), numpy.linspace(280, 350, 141)
    floor = 4200 * numpy.sin(numpy.radians((lon - 280) * 180 / 70))[None, :] * numpy.ones((81, 1)) - 300
    salt = 35 + 1.5 * numpy.exp(-depth / 300)[:, None, None] * numpy.sin(numpy.radians(4 * lat))[None, :, None]
    salt = numpy.broadcast_to(salt, (len(depth), 81, 141)).copy()
    salt[depth[:, None, None] > floor[None]] = 1e20
    write_field(folder / "ocean.nc", "so", "1e-3",
                [("depth", depth, {"units": "m", "positive": "down", "standard_name": "depth"}),
                 ("lat", lat, north), ("lon", lon, east)], salt, standard_name="sea_water_salinity")

    # A density over seven decades.
    random = numpy.random.default_rng(7)
    waves = numpy.fft.rfftn(random.normal(size=(96, 96, 96)))
    k = numpy.sqrt(sum(numpy.square(axis) for axis in numpy.meshgrid(
        numpy.fft.fftfreq(96), numpy.fft.fftfreq(96), numpy.fft.rfftfreq(96), indexing="ij")))
    k[0, 0, 0] = 1
    lumps = numpy.fft.irfftn(waves * k ** -1.8 * (k < 0.35), s=(96, 96, 96), axes=(0, 1, 2))
    numpy.save(folder / "density.npy", numpy.exp(2.3 * lumps / lumps.std()).astype("f4"))

    # A vortex ring on 16^3 voxels.
    z, y, x = numpy.mgrid[-1:1:16j, -1:1:16j, -1:1:16j]
    numpy.save(folder / "ring.npy", numpy.exp(-12 * ((numpy.hypot(x, y) - 0.6) ** 2 + z ** 2)).astype("f4"))


main()
