// Loads the presenters that open windows from tilewall-window.so, beside the program.
//
// They stand in a module of their own because of what SDL, X11 and GL cost every process that links
// them, also where no window is opened: 3 to 5 cpu-ms a start, where a lean program takes 1.3 and a
// headless presenter's 1.6. Opening a CPU window takes 16 cpu-ms, a GL one on llvmpipe 64.
// A loaded module stays loaded.
#pragma once

#include <memory>

#include "player/present/presenter.hpp"

namespace tilewall {

/// The module's functions, by the names it exports. They throw JobError.
using MakeWindowPresenter = Presenter*(const PresenterOptions& options);  ///< the caller owns it
using ProbeGl = void(GlProbe& result);

inline constexpr const char* make_window_presenter_symbol = "tilewall_make_window_presenter";
inline constexpr const char* probe_gl_symbol = "tilewall_probe_gl";

/// @pre options.kind is gl or cpu; cpu is not headless. Throws JobError also where the module is
/// missing.
[[nodiscard]] std::unique_ptr<Presenter> make_window_presenter(const PresenterOptions& options);

}  // namespace tilewall
