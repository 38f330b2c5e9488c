#include "player/bench/vtk.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numbers>

#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::bench {
namespace {

using Json = nlohmann::json;

/// Reads job.json: volume, type, size, points, unit, step, lit, mode, gpu, warm_s, threads, views,
/// picture.
constexpr const char* vtk_script = R"(
import json, sys, time
import numpy, vtk
from vtk.util import numpy_support

job = json.load(open(sys.argv[1]))
voxels = numpy.memmap(job["volume"], dtype={"u8": "u1", "u16": "<u2", "f32": "<f4"}[job["type"]], mode="r")
image = vtk.vtkImageData()
image.SetDimensions(*job["size"])
image.GetPointData().SetScalars(numpy_support.numpy_to_vtk(numpy.ascontiguousarray(voxels)))

look = vtk.vtkVolumeProperty()
opacity, colour = vtk.vtkPiecewiseFunction(), vtk.vtkColorTransferFunction()
for value, r, g, b, a in job["points"]:
    opacity.AddPoint(value, a)
    colour.AddRGBPoint(value, r, g, b)
look.SetColor(colour)
look.SetScalarOpacity(opacity)
look.SetInterpolationTypeToLinear()
look.SetScalarOpacityUnitDistance(job["unit"])
if job["lit"]:
    look.ShadeOn()
    look.SetAmbient(job["lit"]["ambient"])
    look.SetDiffuse(job["lit"]["diffuse"])
    look.SetSpecular(job["lit"]["specular"])
    look.SetSpecularPower(16)

if job["gpu"]:
    mapper = vtk.vtkGPUVolumeRayCastMapper()
else:
    mapper = vtk.vtkFixedPointVolumeRayCastMapper()
    mapper.SetNumberOfThreads(job["threads"])
    mapper.SetInteractiveSampleDistance(job["step"])
mapper.SetAutoAdjustSampleDistances(0)
mapper.LockSampleDistanceToInputSpacingOff()
mapper.SetSampleDistance(job["step"])
mapper.SetImageSampleDistance(1.0)
if job["mode"] == "maximum":
    mapper.SetBlendModeToMaximumIntensity()
mapper.SetInputData(image)

volume = vtk.vtkVolume()
volume.SetMapper(mapper)
volume.SetProperty(look)
renderer = vtk.vtkRenderer()
renderer.SetBackground(0, 0, 0)
renderer.AddVolume(volume)
light = vtk.vtkLight()
light.SetLightTypeToHeadlight()
light.SetAmbientColor(1, 1, 1)  # without one, the look's ambient share is of nothing
renderer.AddLight(light)
window = vtk.vtkRenderWindow()
window.SetOffScreenRendering(1)
window.SetMultiSamples(0)
window.SetSize(*job["picture_px"])
window.SetDesiredUpdateRate(0.0001)
window.AddRenderer(renderer)

def render(view):
    camera = renderer.GetActiveCamera()
    camera.SetFocalPoint(*view["look_at"])
    camera.SetPosition(*view["eye"])
    camera.SetViewUp(*view["up"])
    camera.SetViewAngle(view["fov_deg"])
    camera.SetClippingRange(*view["depth"])
    window.Render()
    window.WaitForCompletion()

def shot():
    grab = vtk.vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    grab.Update()
    width, height = job["picture_px"]
    pixels = numpy_support.vtk_to_numpy(grab.GetOutput().GetPointData().GetScalars())
    return pixels.reshape(height, width, 3)[::-1]

render(job["views"][0])
if job["gpu"] and "llvmpipe" in window.ReportCapabilities():
    sys.exit("no GPU")
shot().tofile(job["picture"])
warm_until = time.perf_counter() + job["warm_s"]
while time.perf_counter() < warm_until:
    for view in job["views"]:
        render(view)
wall_ms, cpu_ms = [], []
for view in job["views"]:
    wall, cpu = time.perf_counter(), time.process_time()
    render(view)
    wall_ms.append((time.perf_counter() - wall) * 1e3)
    cpu_ms.append((time.process_time() - cpu) * 1e3 / job["threads"])
print(json.dumps({"wall_ms": wall_ms, "cpu_ms": cpu_ms}))
)";

std::string quoted(const std::string& word) { return "'" + word + "'"; }

Json coordinates(Vec3d v) { return {v.x, v.y, v.z}; }

Json points_json(const render::TransferFunction& function, render::ValueScale scale) {
  Json points = Json::array();
  for (const render::TransferPoint& point : function.points())
    points.push_back({(point.value - scale.offset) / scale.scale, point.colour.r, point.colour.g,
                      point.colour.b, point.colour.a});
  return points;
}

Json view_json(const render::CastView& view) {
  const double distance = length(view.camera.look_at - view.camera.eye);
  return {{"eye", coordinates(view.camera.eye)},
          {"look_at", coordinates(view.camera.look_at)},
          {"up", coordinates(view.camera.up)},
          {"fov_deg", view.camera.fov_rad * 180 / std::numbers::pi},
          {"depth", {distance / 20, distance * 2}}};
}

}  // namespace

std::optional<VtkCaster> VtkCaster::find(const std::filesystem::path& folder) {
  for (const std::string python : {"python3", "/usr/bin/python3"}) {
    const Json version = Json::parse(
        output_of(python + " -c 'import json, numpy, vtk; "
                           "print(json.dumps(vtk.vtkVersion.GetVTKVersion()))' 2>/dev/null"),
        nullptr, false);
    if (version.is_string()) return VtkCaster(python, version.get<std::string>(), folder);
  }
  return std::nullopt;
}

VtkCaster::VtkCaster(std::string python, std::string version, std::filesystem::path folder)
    : python_(std::move(python)), version_(std::move(version)), folder_(std::move(folder)) {
  write_file_atomically(folder_ / "cast.py", vtk_script);
}

void VtkCaster::set_volume(const render::Volume& volume) {
  const std::filesystem::path file = folder_ / "voxels.raw";
  std::ofstream out(file, std::ios::binary);
  const auto write = [&](auto voxels) {
    out.write(reinterpret_cast<const char*>(voxels.data()),
              static_cast<std::streamsize>(voxels.size_bytes()));
  };
  switch (volume.type()) {
    case render::VoxelType::u8:
      write(volume.voxels<std::uint8_t>());
      break;
    case render::VoxelType::u16:
      write(volume.voxels<std::uint16_t>());
      break;
    case render::VoxelType::f32:
      write(volume.voxels<float>());
      break;
  }
  if (!out.flush()) throw JobError(file.string() + ": cannot be written; is the disk full?");
  scale_ = volume.scale();
  volume_ = Json{{"volume", file},
                 {"type", render::name_of(volume.type())},
                 {"size", {volume.size().x, volume.size().y, volume.size().z}}}
                .dump();
}

std::optional<VtkTimes> VtkCaster::cast(const render::TransferFunction& function,
                                        const render::CastStyle& style,
                                        const std::vector<render::CastView>& views,
                                        VtkMapper mapper, int threads) const {
  if (style.mode != render::CastMode::composite && style.mode != render::CastMode::maximum)
    return std::nullopt;
  Json job = Json::parse(volume_);
  const SizePx picture_px = views.front().picture_px;
  const std::filesystem::path picture = folder_ / "picture.rgb";
  job["points"] = points_json(function, scale_);
  job["unit"] = function.unit();
  job["step"] = style.step;
  job["mode"] = style.mode == render::CastMode::maximum ? "maximum" : "composite";
  job["lit"] = nullptr;
  if (style.shading != render::Shading::none)
    job["lit"] = {{"ambient", style.lighting.ambient},
                  {"diffuse", style.lighting.diffuse},
                  {"specular", style.lighting.specular}};
  job["gpu"] = mapper == VtkMapper::gpu;
  job["warm_s"] = mapper == VtkMapper::gpu ? gpu_warm_up_ms / 1000 : 0;
  job["threads"] = threads;
  job["picture_px"] = {picture_px.width, picture_px.height};
  job["picture"] = picture;
  for (const render::CastView& view : views) job["views"].push_back(view_json(view));
  const std::filesystem::path file = folder_ / "job.json";
  write_file_atomically(file, job.dump());
  const Json answer = Json::parse(
      output_of(fmt::format("{} {} {} 2>/dev/null", python_, quoted((folder_ / "cast.py").string()),
                            quoted(file.string()))),
      nullptr, false);
  if (!answer.is_object()) return std::nullopt;
  VtkTimes times;
  times.wall_ms = answer.at("wall_ms").get<std::vector<double>>();
  times.cpu_ms = answer.at("cpu_ms").get<std::vector<double>>();
  std::ifstream in(picture, std::ios::binary);
  times.picture.assign(std::istreambuf_iterator<char>(in), {});
  return times;
}

}  // namespace tilewall::bench
