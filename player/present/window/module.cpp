// The exports of tilewall-window.so; see window_module.hpp.

#include "player/present/window/cpu_window_presenter.hpp"
#include "player/present/window/gl_presenter.hpp"
#include "player/present/window_module.hpp"
#include "sync/base/error.hpp"

namespace tilewall::present {
namespace {

GlProbe probe() {
  PresenterOptions options;
  options.frame_buffer_px = {16, 16};
  const SdlVideo video(VideoDriver::display);
  try {
    set_gl_attributes();
    const PanelWindow window(options, SDL_WINDOW_OPENGL | SDL_WINDOW_HIDDEN);
    const GlContext context(window.get());
    return describe_renderer(reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
  } catch (const JobError& error) {
    return {.usable = false, .hardware = false, .renderer = error.what()};
  }
}

}  // namespace
}  // namespace tilewall::present

#define TILEWALL_EXPORT extern "C" __attribute__((visibility("default")))

TILEWALL_EXPORT tilewall::present::Presenter* tilewall_make_window_presenter(
    const tilewall::present::PresenterOptions& options) {
  if (options.kind == tilewall::present::PresenterKind::gl)
    return new tilewall::present::GlPresenter(options);
  return new tilewall::present::CpuWindowPresenter(options);
}

TILEWALL_EXPORT void tilewall_probe_gl(tilewall::present::GlProbe& result) {
  result = tilewall::present::probe();
}
