#include "player/present/window/cpu_window_presenter.hpp"

#include "player/present/correction/copy_picture.hpp"
#include "sync/base/check.hpp"

namespace tilewall::present {
namespace {

struct SurfaceTraits {
  using Raw = SDL_Surface*;
  static constexpr SDL_Surface* null() noexcept { return nullptr; }
  static void close(SDL_Surface* surface) noexcept { SDL_FreeSurface(surface); }
};

bool is_bgrx(const SDL_Surface& surface) noexcept {
  return surface.format->format == SDL_PIXELFORMAT_XRGB8888 ||
         surface.format->format == SDL_PIXELFORMAT_ARGB8888;
}

ImageView view_of(const SDL_Surface& surface) noexcept {
  return {static_cast<std::uint8_t*>(surface.pixels),
          {surface.w, surface.h},
          static_cast<std::size_t>(surface.pitch)};
}

}  // namespace

CpuWindowPresenter::CpuWindowPresenter(const PresenterOptions& options)
    : size_px_(options.frame_buffer_px),
      rotation_(options.rotation),
      tables_(color_tables_for(options.color)),
      edges_(options.blend, size_px_, rotation_),
      video_(VideoDriver::display),
      window_(options, 0) {
  SDL_FillRect(window_surface(), nullptr, 0);
  SDL_UpdateWindowSurface(window_.get());
}

SDL_Surface* CpuWindowPresenter::window_surface() {
  SDL_Surface* surface = SDL_GetWindowSurface(window_.get());
  if (surface == nullptr) throw JobError(sdl_failure("SDL_GetWindowSurface"));
  return surface;
}

void CpuWindowPresenter::prepare(const ImageView& picture, const Inset& inset) {
  TW_CHECK(picture.size_px == turned_size_px(size_px_, rotation_), "{}x{}", picture.size_px.width,
           picture.size_px.height);
  SDL_Surface* surface = window_surface();
  frame_buffer_ = view_of(*surface);
  const bool direct = is_bgrx(*surface) && frame_buffer_.size_px == size_px_;
  if (!direct) {
    const std::size_t row_bytes = static_cast<std::size_t>(size_px_.width) * 4;
    own_pixels_.resize(row_bytes * static_cast<std::size_t>(size_px_.height));
    frame_buffer_ = {own_pixels_.data(), size_px_, row_bytes};
  }
  const ColorTables* tables = tables_ ? &*tables_ : nullptr;
  copy_picture(picture, rotation_, tables, frame_buffer_);
  copy_inset(inset, rotation_, tables, frame_buffer_);
  edges_.apply(frame_buffer_);
  if (!direct) convert_to(surface);
  surface_state_ = Surface::prepared;
}

/// Converts for displays of another depth, and for windows that were resized.
void CpuWindowPresenter::convert_to(SDL_Surface* surface) {
  const UniqueHandle<SurfaceTraits> own(SDL_CreateRGBSurfaceWithFormatFrom(
      frame_buffer_.pixels, size_px_.width, size_px_.height, 32,
      static_cast<int>(frame_buffer_.stride_bytes), SDL_PIXELFORMAT_XRGB8888));
  if (own.empty() || SDL_BlitScaled(own.get(), nullptr, surface, nullptr) != 0)
    throw JobError(sdl_failure("SDL_BlitScaled"));
}

LocalInstant CpuWindowPresenter::swap() {
  // This fails only where the window was resized since prepare(). The next picture goes to the new
  // surface.
  SDL_UpdateWindowSurface(window_.get());
  const LocalInstant stamp = local_now();
  surface_state_ = Surface::shown;
  repaint_due_ = false;
  return stamp;
}

std::vector<OperatorInput> CpuWindowPresenter::poll_input() {
  PanelWindow::Events events = window_.poll();
  repaint_due_ |= events.exposed;
  // A prepared picture must not be visible before it is due; its own swap repaints the window.
  if (repaint_due_ && surface_state_ == Surface::shown) {
    SDL_UpdateWindowSurface(window_.get());
    repaint_due_ = false;
  }
  return std::move(events.input);
}

ImageView CpuWindowPresenter::shown() {
  return surface_state_ == Surface::shown ? frame_buffer_ : ImageView{};
}

}  // namespace tilewall::present
