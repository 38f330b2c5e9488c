// Measures scenes: times of their pictures, distance from the reference's pictures, and for
// comparison the pace of samples alone, VTK and a GPU.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "player/bench/render_scene.hpp"
#include "player/bench/vtk.hpp"
#include "render/gl/gl_volume_caster.hpp"
#include "render/volume/volume_caster.hpp"

namespace tilewall::bench {

struct RenderRuns {
  int count = 0;  ///< Pictures that are measured, after one that warms up
  SizePx picture_px;
  int threads = 1;
};

/// One row of the report. @pre `caster` draws `volume`, and `vtk` was set to it
[[nodiscard]] nlohmann::json measure_on_processor(const RenderCase& one,
                                                  const render::Volume& volume,
                                                  render::VolumeCaster& caster,
                                                  const RenderRuns& runs,
                                                  const std::optional<VtkCaster>& vtk);

/// A GPU's caster that records its GPU time for every picture.
class TimedGlCaster final : public render::PictureCaster {
 public:
  TimedGlCaster(render::GlEngine& engine, const render::Volume& volume)
      : engine_(engine), caster_(engine, volume) {}
  void set_style(const render::TransferFunction& function, const render::CastStyle& style,
                 int threads) override {
    caster_.set_style(function, style, threads);
    gpu_ms_.clear();
  }
  std::uint64_t cast(const render::CastView& view, RectPx part, const ImageView& to,
                     int threads) override {
    const std::uint64_t samples = caster_.cast(view, part, to, threads);
    gpu_ms_.push_back(static_cast<double>(engine_.gpu_ns()) / 1e6);
    return samples;
  }
  [[nodiscard]] render::CastTimes times() const noexcept override { return caster_.times(); }
  /// GPU times of the `count` pictures after the first.
  [[nodiscard]] std::vector<double> gpu_ms(int count) const {
    return {gpu_ms_.begin() + 1, gpu_ms_.begin() + 1 + count};
  }

 private:
  render::GlEngine& engine_;
  render::GlVolumeCaster caster_;
  std::vector<double> gpu_ms_;
};

/// One row of the report, of a GPU at its working clock rate. @pre as for measure_on_processor()
[[nodiscard]] nlohmann::json measure_on_gpu(const RenderCase& one, const render::Volume& volume,
                                            TimedGlCaster& caster, const RenderRuns& runs,
                                            const std::optional<VtkCaster>& vtk);

// Measures a caster as a wall uses it: a picture cut into panels, and moving pictures.

/// CPU time of the 15 crops of one picture on a 5x3 wall, each of runs.picture_px, beside that of
/// the whole picture; and whether they are its crops to the bit. One caster draws them one after
/// the other, each with all threads, as a host's caster does. So the panels of a host need not be
/// alike for its cores to be busy, and "slowest_to_mean" concerns hosts with one panel each.
[[nodiscard]] nlohmann::json measure_panels(const RenderCase& one, const render::Volume& volume,
                                            render::PictureCaster& caster, const RenderRuns& runs);

/// A picture as coarse as a wall draws it while a camera moves, where the full one takes `full_ms`
/// on idle cores (CPU time per thread): its time, and its distance from the full one; the times
/// from a change to the first picture and to the exact one, which is drawn after it. These are
/// computing times only: a wall draws the exact picture at the soonest 150 ms after the last
/// change.
[[nodiscard]] nlohmann::json measure_motion(const RenderCase& one, const render::Volume& volume,
                                            render::PictureCaster& caster, const RenderRuns& runs,
                                            double full_ms);

/// Prints the figures, one per line.
void print_panels(const nlohmann::json& panels);
void print_motion(const nlohmann::json& motion);

}  // namespace tilewall::bench
