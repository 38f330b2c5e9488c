// tilewall bench render: pictures of volumes, beside the pace of their samples alone and the
// scalar reference's picture.
//
//   $ tilewall bench render
//   1280x1024 pixels, one sample a voxel, 2 threads, vnni, 3 runs; VTK 9.7.2
//   scene                ms  cpu ms  gpu ms Msamples/s  limit  share    dB   VTK ms  ratio    dB
//   (one line a scene)
//
// With --caster gl a GPU draws: "gpu ms" is its own time for a picture, without the way to memory,
// and "cpu ms" the processor's share of it. VTK's GPU mapper is beside it, where VTK finds the GPU:
// "VTK" is then its elapsed time without a way to memory, and the ratio is to our "ms", with it.
// --caster cpu,gl makes a row of each for every scene.
//
// "limit": the same samples taken and summed, with nothing made of them. "ms" is the median of
// pictures from three sides; "cpu ms" is per thread, and what to look at on a busy machine: it is
// what VTK is compared by. The first "dB" is to the scalar reference, the second one to VTK.
//
// After the first scene of each size come two lines on its use by walls: a picture as coarse as a
// wall draws it while its camera moves, and the panels of a 5x3 wall beside the whole picture
// (render_rows.hpp). 1024^3 (u8 only) needs 5.2 GiB of memory, its panels included.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "player/bench/benchmarks.hpp"
#include "player/bench/common.hpp"
#include "player/bench/render_rows.hpp"
#include "player/command/number_check.hpp"
#include "render/volume/web_scene.hpp"

namespace tilewall::bench {
namespace {

struct BenchRenderArguments {
  bool json = false;
  int runs = 9;
  int width_px = 1280;
  int height_px = 1024;
  int threads = 0;
  std::vector<int> sizes = {256, 512};
  std::string family;
  std::vector<std::string> casters = {"cpu"};
  [[nodiscard]] bool asks_for(const char* caster) const {
    return std::find(casters.begin(), casters.end(), caster) != casters.end();
  }
};

constexpr RenderCase render_cases[] = {
    {"web", render::VoxelType::u8, render::CastMode::composite, render::Shading::none, ""},
    {"web", render::VoxelType::u8, render::CastMode::composite, render::Shading::headlight,
     "_shaded"},
    {"fog", render::VoxelType::u8, render::CastMode::composite, render::Shading::none, ""},
    {"web", render::VoxelType::u8, render::CastMode::maximum, render::Shading::none, "_maximum"},
    {"web", render::VoxelType::u8, render::CastMode::average, render::Shading::none, "_average"},
    {"web", render::VoxelType::u8, render::CastMode::isosurface, render::Shading::headlight,
     "_isosurface"},
    {"web", render::VoxelType::u16, render::CastMode::composite, render::Shading::none, ""},
    {"web", render::VoxelType::f32, render::CastMode::composite, render::Shading::none, ""},
    {"web", render::VoxelType::f32, render::CastMode::composite, render::Shading::headlight,
     "_shaded"}};

constexpr const RenderCase& wall_case = render_cases[0];  // case for panels and moving pictures

// Larger ones are u8 only, since the other types need 8 GB.
constexpr int largest_of_all_types = 512;

render::CastFamily family_of(const std::string& name) {
  for (const render::CastFamily family : {render::CastFamily::scalar, render::CastFamily::avx2,
                                          render::CastFamily::avx512, render::CastFamily::vnni})
    if (name == render::name_of(family) && render::is_available(family)) return family;
  if (!name.empty())
    throw InputError({"--family"}, "", "kernels that this processor and build have", name);
  return render::best_family();
}

/// The engine for rows of a GPU; null where there are none. Throws InputError for unknown or
/// missing casters.
std::unique_ptr<render::GlEngine> engine_for(const BenchRenderArguments& arguments) {
  for (const std::string& name : arguments.casters)
    if (name != "cpu" && name != "gl") throw InputError({"--caster"}, "", "cpu, gl or both", name);
  if (!arguments.asks_for("gl")) return nullptr;
  std::string why_not;
  auto engine = render::GlEngine::open({render::GlPreference::any, 0}, why_not);
  if (engine == nullptr) throw InputError({"--caster"}, "", "OpenGL 4.3 for gl, or cpu", why_not);
  return engine;
}

/// Collects rows as they are measured.
struct RenderReport {
  std::function<void(nlohmann::json row)> scene;
  std::function<void(nlohmann::json row)> motion;
  std::function<void(nlohmann::json row)> panels;
};

void measure_size(int side, const BenchRenderArguments& arguments, render::GlEngine* engine,
                  std::optional<VtkCaster>& vtk, const RenderReport& report) {
  const RenderRuns runs{
      arguments.runs, {arguments.width_px, arguments.height_px}, arguments.threads};
  const render::WebScene scene;
  for (const render::VoxelType type :
       {render::VoxelType::u8, render::VoxelType::u16, render::VoxelType::f32}) {
    if (type != render::VoxelType::u8 && side > largest_of_all_types) continue;
    const render::Volume volume(scene.voxels(type, side, arguments.threads), {},
                                render::WebScene::scale_of(type), arguments.threads);
    std::optional<render::VolumeCaster> processor;
    std::optional<TimedGlCaster> gpu;
    if (arguments.asks_for("cpu"))
      processor.emplace(volume, family_of(arguments.family), arguments.threads);
    if (vtk) vtk->set_volume(volume);
    if (engine != nullptr) gpu.emplace(*engine, volume);
    for (const RenderCase& one : render_cases) {
      if (one.type != type) continue;
      if (processor) {
        nlohmann::json row = measure_on_processor(one, volume, *processor, runs, vtk);
        const double full_ms = row.at("cpu_ms");
        report.scene(std::move(row));
        if (&one == &wall_case) {
          report.motion(measure_motion(one, volume, *processor, runs, full_ms));
          report.panels(measure_panels(one, volume, *processor, runs));
        }
      }
      if (gpu) report.scene(measure_on_gpu(one, volume, *gpu, runs, vtk));
    }
  }
}

constexpr const char* table_row =
    "{:<33} {:<3} {:>7} {:>7} {:>7} {:>10} {:>6} {:>6} {:>5} {:>8} {:>6} {:>6}\n";

void print_render_row(const nlohmann::json& row) {
  const auto number = [&](const char* key, int decimals) {
    return row.contains(key) ? fmt::format("{:.{}f}", row.at(key).get<double>(), decimals) : "-";
  };
  const std::string gpu_ms =
      row.contains("gpu_ms") ? fmt::format("{:.2f}", row.at("gpu_ms").at("median").get<double>())
                             : "-";
  fmt::print(fmt::runtime(table_row), row.at("scene").get<std::string>(),
             row.at("caster").get<std::string>(), number("ms", 1), number("cpu_ms", 1), gpu_ms,
             number("samples_m_per_s", 0), number("sample_limit_m_per_s", 0),
             number("share_of_limit", 2), number("psnr_to_reference_db", 1),
             number(row.at("caster") == "gl" ? "vtk_ms" : "vtk_cpu_ms", 0),
             number("ratio_to_vtk", 1), number("psnr_to_vtk_db", 1));
  std::fflush(stdout);
}

void print_render_head(const BenchRenderArguments& arguments, render::CastFamily family,
                       const std::optional<VtkCaster>& vtk) {
  fmt::print("{}x{} pixels, one sample a voxel, {} threads, {}, {} runs; {}\n", arguments.width_px,
             arguments.height_px, arguments.threads, render::name_of(family), arguments.runs,
             vtk ? "VTK " + vtk->version()
                 : "no VTK here: python3 -m pip install vtk numpy, or Debian's python3-vtk9");
  fmt::print(fmt::runtime(table_row), "scene", "by", "ms", "cpu ms", "gpu ms", "Msamples/s",
             "limit", "share", "dB", "VTK ms", "ratio", "dB");
}

int run_bench_render(BenchRenderArguments arguments) {
  if (arguments.threads == 0)
    arguments.threads = std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
  const render::CastFamily family = family_of(arguments.family);
  const ScratchFolder folder("");
  std::optional<VtkCaster> vtk = VtkCaster::find(folder.path());
  nlohmann::json report = bench_header(arguments.runs);
  report["family"] = render::name_of(family);
  report["threads"] = arguments.threads;
  report["vtk"] = vtk ? nlohmann::json(vtk->version()) : nlohmann::json();
  const std::unique_ptr<render::GlEngine> engine = engine_for(arguments);
  if (engine != nullptr) report["gl_renderer"] = engine->renderer();
  if (!arguments.json) print_render_head(arguments, family, vtk);
  if (!arguments.json && engine != nullptr) fmt::print("gl: {}\n", engine->renderer());
  const auto told = [&](const char* key, void (*print)(const nlohmann::json& row)) {
    return [&report, &arguments, key, print](nlohmann::json row) {
      if (!arguments.json) print(row);
      report[key].push_back(std::move(row));
    };
  };
  for (const int side : arguments.sizes)
    measure_size(side, arguments, engine.get(), vtk,
                 {told("scenes", print_render_row), told("motion", print_motion),
                  told("panels", print_panels)});
  if (arguments.json)
    fmt::print("{}\n", report.dump());
  else
    fmt::print("{}; commit {}\n", report.at("machine").at("cpu").get<std::string>(),
               report.at("commit").get<std::string>());
  return exit_done;
}

command::CommandRun add_render_options(CLI::App& command) {
  auto arguments = std::make_shared<BenchRenderArguments>();
  command.add_flag("--json", arguments->json, "one JSON object on stdout");
  command.add_option("--runs", arguments->runs, "pictures that count, for each row")
      ->check(command::NumberIn(1, 1000))
      ->capture_default_str();
  command.add_option("--size", arguments->sizes, "sides of the volumes, in voxels")
      ->check(command::NumberIn(16, 1024))
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--width", arguments->width_px, "of the picture, in pixels")
      ->check(command::NumberIn(16, 16384))
      ->capture_default_str();
  command.add_option("--height", arguments->height_px, "of the picture, in pixels")
      ->check(command::NumberIn(16, 16384))
      ->capture_default_str();
  command.add_option("--threads", arguments->threads, "0: as many as there are cores")
      ->check(command::NumberIn(0, 256))
      ->capture_default_str();
  command.add_option("--family", arguments->family,
                     "of kernels: scalar, avx2, avx512 or vnni; the best that runs here");
  command.add_option("--caster", arguments->casters, "cpu, gl, or cpu,gl")
      ->delimiter(',')
      ->capture_default_str();
  command.footer("Example: tilewall bench render --size 256,512,1024 --caster cpu,gl");
  return [arguments] { return run_bench_render(*arguments); };
}

}  // namespace

Benchmark render_benchmark() {
  return {"render", "Pictures of volumes, beside their samples alone and VTK", add_render_options};
}

}  // namespace tilewall::bench
