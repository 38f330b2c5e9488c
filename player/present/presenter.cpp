#include "player/present/presenter.hpp"

#include "player/present/memory_presenter.hpp"
#include "player/present/null_presenter.hpp"
#include "player/present/window_module.hpp"
#include "sync/base/check.hpp"

namespace tilewall {
namespace {

PresenterKind chosen_kind(const PresenterOptions& options) {
  if (options.kind != PresenterKind::automatic) return options.kind;
  if (options.headless) return PresenterKind::cpu;
  const GlProbe gl = options.gl ? *options.gl : probe_gl();
  return gl.usable && gl.hardware ? PresenterKind::gl : PresenterKind::cpu;
}

}  // namespace

std::optional<PresenterKind> parse_presenter_kind(std::string_view text) noexcept {
  for (std::size_t i = 0; i < std::size(presenter_kind_names); ++i)
    if (presenter_kind_names[i] == text) return static_cast<PresenterKind>(i);
  return std::nullopt;
}

std::unique_ptr<Presenter> make_presenter(const PresenterOptions& options) {
  TW_CHECK(options.frame_buffer_px.width > 0 && options.frame_buffer_px.height > 0);
  PresenterOptions chosen = options;
  chosen.kind = chosen_kind(options);
  if (chosen.kind == PresenterKind::null) return std::make_unique<NullPresenter>();
  if (chosen.kind == PresenterKind::cpu && chosen.headless)
    return std::make_unique<MemoryPresenter>(chosen);
  return make_window_presenter(chosen);
}

}  // namespace tilewall
