// tilewall bench render: pictures of volumes, beside the pace of their samples alone and the
// scalar reference's picture.
//
//   $ tilewall bench render
//   1280x1024 pixels, one sample a voxel, 2 threads, vnni, 3 runs; VTK 9.7.2
//   scene                                  ms  cpu ms Msamples/s  limit  share    dB  VTK cpu ratio
//   dB (one line a scene)
//
// With --caster gl a GPU draws: "gpu ms" is its own time for a picture, without the way to memory,
// and "cpu ms" the processor's share of it. --caster cpu,gl makes a row of each for every scene.
//
// "limit": the same samples taken and summed, with nothing made of them. "ms" is the median of
// pictures from three sides; "cpu ms" is per thread, and what to look at on a busy machine: it is
// what VTK is compared by. The first "dB" is to the scalar reference, the second one to VTK.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "player/cli/bench_command.hpp"
#include "player/cli/bench_render_scene.hpp"
#include "player/cli/bench_report.hpp"
#include "player/cli/bench_vtk.hpp"
#include "player/cli/scratch_folder.hpp"
#include "render/gl/gl_volume_caster.hpp"
#include "render/volume/volume_caster.hpp"
#include "render/volume/web_scene.hpp"

namespace tilewall {
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

struct RenderCase {
  const char* scene;
  VoxelType type;
  CastMode mode;
  Shading shading;
  const char* suffix;  ///< of its name
};
constexpr RenderCase render_cases[] = {
    {"web", VoxelType::u8, CastMode::composite, Shading::none, ""},
    {"web", VoxelType::u8, CastMode::composite, Shading::headlight, "_shaded"},
    {"fog", VoxelType::u8, CastMode::composite, Shading::none, ""},
    {"web", VoxelType::u8, CastMode::maximum, Shading::none, "_maximum"},
    {"web", VoxelType::u8, CastMode::average, Shading::none, "_average"},
    {"web", VoxelType::u8, CastMode::isosurface, Shading::headlight, "_isosurface"},
    {"web", VoxelType::u16, CastMode::composite, Shading::none, ""},
    {"web", VoxelType::f32, CastMode::composite, Shading::none, ""},
    {"web", VoxelType::f32, CastMode::composite, Shading::headlight, "_shaded"}};

constexpr int largest_of_all_types = 512;  // beyond: u8 only, the others take 8 GB
constexpr SizePx compared_px = {160, 128};
constexpr double blind_timer_ms = 1e-3;  // llvmpipe's does not see compute shaders
constexpr double first_turn = 30;        // degrees

double render_now_ms() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double psnr_to_reference(const Volume& volume, PictureCaster& caster,
                         const TransferFunction& function, const CastStyle& style, int threads) {
  const CastView view = turned_view(volume.size().x, compared_px, first_turn);
  RenderPixels fast(compared_px);
  RenderPixels exact(compared_px);
  caster.cast(view, whole_picture(view), fast.view(), threads);
  write_pixels(cast_scalar(volume, function, style, view, whole_picture(view), threads),
               style.background, exact.view());
  return psnr_db(fast, exact);
}

std::vector<CastView> bench_views(int side, SizePx picture_px) {
  std::vector<CastView> views;
  for (int i = 0; i < 3; ++i) views.push_back(turned_view(side, picture_px, first_turn + 37 * i));
  return views;
}

/// Of pictures from three sides; CPU time is per thread.
struct RenderTimes {
  std::vector<double> wall_ms;
  std::vector<double> cpu_ms;
  double samples = 0;  ///< of all runs
  [[nodiscard]] double samples_m_per_s() const {
    double sum_ms = 0;
    for (const double ms : cpu_ms) sum_ms += ms;
    return samples / sum_ms / 1e3;
  }
};

template <typename Cast>
RenderTimes time_runs(const std::vector<CastView>& views, int runs, int threads, Cast&& cast) {
  RenderTimes times;
  for (int run = -1; run < runs; ++run) {  // the first one warms up
    const CastView& view = views[static_cast<std::size_t>(run + 3) % views.size()];
    const double wall_before = render_now_ms();
    const double cpu_before = process_cpu_s();
    const std::uint64_t samples = cast(view);
    if (run < 0) continue;
    times.wall_ms.push_back(render_now_ms() - wall_before);
    times.cpu_ms.push_back((process_cpu_s() - cpu_before) * 1e3 / threads);
    times.samples += static_cast<double>(samples);
  }
  return times;
}

/// VTK's picture of the same, and its time.
void add_vtk(nlohmann::json& row, const VtkCaster& vtk, const TransferFunction& function,
             const CastStyle& style, const std::vector<CastView>& views, PictureCaster& caster,
             int threads) {
  const auto times = vtk.cast(function, style, views, threads);
  if (!times) return;
  RenderPixels ours(views.front().picture_px);
  RenderPixels theirs(views.front().picture_px);
  caster.cast(views.front(), whole_picture(views.front()), ours.view(), threads);
  if (times->picture.size() != theirs.bytes().size() / 4 * 3) return;
  theirs.set_rgb(times->picture);
  row["vtk_ms"] = median(times->wall_ms);
  row["vtk_cpu_ms"] = median(times->cpu_ms);
  row["ratio_to_vtk"] = median(times->cpu_ms) / row.at("cpu_ms").get<double>();
  row["psnr_to_vtk_db"] = psnr_db(ours, theirs);
}

struct RenderScene {
  TransferFunction function;
  CastStyle style;
};

RenderScene scene_of_case(const RenderCase& one, int side) {
  const bool fog = std::string_view(one.scene) == "fog";
  RenderScene scene{fog ? fog_function(side) : sparse_function(side), {}};
  scene.style.mode = one.mode;
  scene.style.shading = one.shading;
  scene.style.iso_value = 0.6;
  return scene;
}

/// What every caster is asked: how long a picture takes, and how near it is to the reference's.
nlohmann::json measure_pictures(const RenderCase& one, const Volume& volume, PictureCaster& caster,
                                const BenchRenderArguments& arguments, RenderTimes& whole) {
  const int side = volume.size().x;
  const RenderScene scene = scene_of_case(one, side);
  caster.set_style(scene.function, scene.style, arguments.threads);
  RenderPixels pixels({arguments.width_px, arguments.height_px});
  whole =
      time_runs(bench_views(side, pixels.size_px()), arguments.runs, arguments.threads,
                [&](const CastView& view) {
                  return caster.cast(view, whole_picture(view), pixels.view(), arguments.threads);
                });
  nlohmann::json row = {
      {"scene", fmt::format("{}_{}_{}{}_{}x{}", side, name_of(one.type), one.scene, one.suffix,
                            arguments.width_px, arguments.height_px)},
      {"ms", median(whole.wall_ms)},
      {"wall_ms", median_and_p95(whole.wall_ms)},
      {"cpu_ms", median(whole.cpu_ms)},
      {"psnr_to_reference_db",
       psnr_to_reference(volume, caster, scene.function, scene.style, arguments.threads)}};
  if (whole.samples > 0) row["samples_m"] = whole.samples / 1e6 / arguments.runs;
  return row;
}

nlohmann::json measure_on_processor(const RenderCase& one, const Volume& volume,
                                    VolumeCaster& caster, const BenchRenderArguments& arguments,
                                    const std::optional<VtkCaster>& vtk) {
  RenderTimes whole;
  nlohmann::json row = measure_pictures(one, volume, caster, arguments, whole);
  row["caster"] = "cpu";
  row["needed_cells_share"] = caster.needed_share();
  RenderPixels pixels({arguments.width_px, arguments.height_px});
  const std::vector<CastView> views = bench_views(volume.size().x, pixels.size_px());
  if (whole.samples > 0) {
    const RenderTimes alone =
        time_runs(views, arguments.runs, arguments.threads, [&](const CastView& view) {
          return caster.sample_only(view, whole_picture(view), pixels.view(), arguments.threads);
        });
    row["samples_m_per_s"] = whole.samples_m_per_s();
    row["sample_limit_m_per_s"] = alone.samples_m_per_s();
    row["share_of_limit"] = whole.samples_m_per_s() / alone.samples_m_per_s();
  }
  const RenderScene scene = scene_of_case(one, volume.size().x);
  if (vtk) add_vtk(row, *vtk, scene.function, scene.style, views, caster, arguments.threads);
  return row;
}

/// A GPU's caster, and its own time for every picture.
class TimedGlCaster final : public PictureCaster {
 public:
  TimedGlCaster(GlEngine& engine, const Volume& volume)
      : engine_(engine), caster_(engine, volume) {}
  void set_style(const TransferFunction& function, const CastStyle& style, int threads) override {
    caster_.set_style(function, style, threads);
    gpu_ms_.clear();
  }
  std::uint64_t cast(const CastView& view, RectPx part, const ImageView& to, int threads) override {
    const std::uint64_t samples = caster_.cast(view, part, to, threads);
    gpu_ms_.push_back(static_cast<double>(engine_.gpu_ns()) / 1e6);
    return samples;
  }
  /// Of the `count` pictures after the first.
  [[nodiscard]] std::vector<double> gpu_ms(int count) const {
    return {gpu_ms_.begin() + 1, gpu_ms_.begin() + 1 + count};
  }

 private:
  GlEngine& engine_;
  GlVolumeCaster caster_;
  std::vector<double> gpu_ms_;
};

nlohmann::json measure_on_gpu(const RenderCase& one, const Volume& volume, TimedGlCaster& caster,
                              const BenchRenderArguments& arguments) {
  RenderTimes whole;
  nlohmann::json row = measure_pictures(one, volume, caster, arguments, whole);
  row["caster"] = "gl";
  const std::vector<double> gpu_ms = caster.gpu_ms(arguments.runs);
  if (median(gpu_ms) < blind_timer_ms) return row;
  row["gpu_ms"] = median_and_p95(gpu_ms);
  double sum_ms = 0;
  for (const double ms : gpu_ms) sum_ms += ms;
  row["samples_m_per_s"] = whole.samples / sum_ms / 1e3;
  return row;
}

CastFamily family_of(const std::string& name) {
  for (const CastFamily family :
       {CastFamily::scalar, CastFamily::avx2, CastFamily::avx512, CastFamily::vnni})
    if (name == name_of(family) && is_available(family)) return family;
  if (!name.empty())
    throw InputError({"--family"}, "", "kernels that this processor and build have", name);
  return best_family();
}

/// Null: no row is of a GPU. Throws InputError for casters that are none, or not there.
std::unique_ptr<GlEngine> engine_for(const BenchRenderArguments& arguments) {
  for (const std::string& name : arguments.casters)
    if (name != "cpu" && name != "gl") throw InputError({"--caster"}, "", "cpu, gl or both", name);
  if (!arguments.asks_for("gl")) return nullptr;
  std::string why_not;
  auto engine = GlEngine::open({GlWish::any, 0}, why_not);
  if (engine == nullptr) throw InputError({"--caster"}, "", "OpenGL 4.3 for gl, or cpu", why_not);
  return engine;
}

template <typename Report>
void measure_size(int side, const BenchRenderArguments& arguments, GlEngine* engine,
                  std::optional<VtkCaster>& vtk, Report&& report) {
  const WebScene scene;
  for (const VoxelType type : {VoxelType::u8, VoxelType::u16, VoxelType::f32}) {
    if (type != VoxelType::u8 && side > largest_of_all_types) continue;
    const Volume volume(scene.voxels(type, side, arguments.threads), {}, WebScene::scale_of(type),
                        arguments.threads);
    std::optional<VolumeCaster> processor;
    std::optional<TimedGlCaster> gpu;
    if (arguments.asks_for("cpu"))
      processor.emplace(volume, family_of(arguments.family), arguments.threads);
    if (processor && vtk) vtk->set_volume(volume);
    if (engine != nullptr) gpu.emplace(*engine, volume);
    for (const RenderCase& one : render_cases) {
      if (one.type != type) continue;
      if (processor) report(measure_on_processor(one, volume, *processor, arguments, vtk));
      if (gpu) report(measure_on_gpu(one, volume, *gpu, arguments));
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
             number("vtk_cpu_ms", 0), number("ratio_to_vtk", 1), number("psnr_to_vtk_db", 1));
  std::fflush(stdout);
}

void print_render_head(const BenchRenderArguments& arguments, CastFamily family,
                       const std::optional<VtkCaster>& vtk) {
  fmt::print("{}x{} pixels, one sample a voxel, {} threads, {}, {} runs; {}\n", arguments.width_px,
             arguments.height_px, arguments.threads, name_of(family), arguments.runs,
             vtk ? "VTK " + vtk->version()
                 : "no VTK here: python3 -m pip install vtk numpy, or Debian's python3-vtk9");
  fmt::print(fmt::runtime(table_row), "scene", "by", "ms", "cpu ms", "gpu ms", "Msamples/s",
             "limit", "share", "dB", "VTK cpu", "ratio", "dB");
}

int run_bench_render(BenchRenderArguments arguments) {
  if (arguments.threads == 0)
    arguments.threads = std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
  const CastFamily family = family_of(arguments.family);
  const ScratchFolder folder("");
  std::optional<VtkCaster> vtk = VtkCaster::find(folder.path());
  nlohmann::json report = bench_header(arguments.runs);
  report["family"] = name_of(family);
  report["threads"] = arguments.threads;
  report["vtk"] = vtk ? nlohmann::json(vtk->version()) : nlohmann::json();
  const std::unique_ptr<GlEngine> engine = engine_for(arguments);
  if (engine != nullptr) report["gl_renderer"] = engine->renderer();
  if (!arguments.json) print_render_head(arguments, family, vtk);
  if (!arguments.json && engine != nullptr) fmt::print("gl: {}\n", engine->renderer());
  for (const int side : arguments.sizes)
    measure_size(side, arguments, engine.get(), vtk, [&](nlohmann::json row) {
      if (!arguments.json) print_render_row(row);
      report["scenes"].push_back(std::move(row));
    });
  if (arguments.json)
    fmt::print("{}\n", report.dump());
  else
    fmt::print("{}; commit {}\n", report.at("machine").at("cpu").get<std::string>(),
               report.at("commit").get<std::string>());
  return exit_done;
}

}  // namespace

void add_bench_render(CLI::App& bench, CommandRun& run) {
  auto arguments = std::make_shared<BenchRenderArguments>();
  CLI::App* command =
      bench.add_subcommand("render", "Pictures of volumes, beside their samples alone and VTK");
  command->add_flag("--json", arguments->json, "one JSON object on stdout");
  command->add_option("--runs", arguments->runs, "pictures that count, for each row")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--size", arguments->sizes, "sides of the volumes, in voxels")
      ->check(CLI::Range(16, 1024))
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--width", arguments->width_px, "of the picture, in pixels")
      ->check(CLI::Range(16, 16384))
      ->capture_default_str();
  command->add_option("--height", arguments->height_px, "of the picture, in pixels")
      ->check(CLI::Range(16, 16384))
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, "0: as many as there are cores")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  command->add_option("--family", arguments->family,
                      "of kernels: scalar, avx2, avx512 or vnni; the best that runs here");
  command->add_option("--caster", arguments->casters, "cpu, gl, or cpu,gl")
      ->delimiter(',')
      ->capture_default_str();
  command->footer("Example: tilewall bench render --size 256,512,1024 --caster cpu,gl");
  command->callback(
      [arguments, &run] { run = [arguments] { return run_bench_render(*arguments); }; });
}

}  // namespace tilewall
