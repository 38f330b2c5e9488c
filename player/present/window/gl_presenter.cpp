#include "player/present/window/gl_presenter.hpp"

#include "player/present/correction/copy_picture.hpp"
#include "player/present/window/gl_context.hpp"
#include "sync/base/check.hpp"

namespace tilewall::present {
namespace {

VideoDriver driver_for(const PresenterOptions& options) {
  return options.headless ? VideoDriver::offscreen : VideoDriver::display;
}

Uint32 gl_window_flags() {
  set_gl_attributes();
  return SDL_WINDOW_OPENGL;
}

}  // namespace

GlPresenter::GlPresenter(const PresenterOptions& options)
    : size_px_(options.frame_buffer_px),
      viewed_size_px_(turned_size_px(size_px_, options.rotation)),
      video_(driver_for(options)),
      window_(options, gl_window_flags()),
      context_(window_.get()),
      refresh_(window_.get(), options.vsync),
      pass_(options),
      pictures_{make_texture(viewed_size_px_, "picture 0"),
                make_texture(viewed_size_px_, "picture 1")},
      snapshot_(make_texture(size_px_, "snapshot")),
      snapshot_target_(make_framebuffer(snapshot_, "snapshot")) {
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  flip();
}

void GlPresenter::prepare(const ImageView& picture, const Inset& inset) {
  TW_CHECK(picture.size_px == viewed_size_px_, "{}x{}", picture.size_px.width,
           picture.size_px.height);
  const GlTexture& back = pictures_[1 - front_];
  upload(back, picture);
  if (const Inset seen = clipped(inset, viewed_size_px_); !seen.empty())
    upload(back, seen.image, seen.at_px);
  pass_.draw(back, window_target());
  glFinish();  // all but the flip is done before the due instant
  prepared_ = true;
  context_.throw_reported_error();
}

// NOLINTNEXTLINE(bugprone-exception-escape): it shows a picture, and exchanges no objects.
LocalInstant GlPresenter::swap() {
  flip();
  const LocalInstant stamp = refresh_.swapped(local_now());
  front_ = 1 - front_;
  any_shown_ = true;
  prepared_ = false;
  repaint_due_ = false;
  context_.throw_reported_error();
  return stamp;
}

LocalInstant GlPresenter::swap_instant(LocalInstant due) { return refresh_.swap_instant(due); }

/// Returns when the flip has happened, not when it is queued.
void GlPresenter::flip() {
  SDL_GL_SwapWindow(window_.get());
  glFinish();
}

std::vector<OperatorInput> GlPresenter::poll_input() {
  PanelWindow::Events events = window_.poll();
  repaint_due_ |= events.exposed;
  // A picture that is prepared and not yet due is not to be seen: its own swap repaints the window.
  if (repaint_due_ && any_shown_ && !prepared_) {
    pass_.draw(pictures_[front_], window_target());
    flip();
    repaint_due_ = false;
  }
  return std::move(events.input);
}

ImageView GlPresenter::shown() {
  if (!any_shown_) return {};
  pass_.draw(pictures_[front_], {snapshot_target_.get(), size_px_, 1});
  const std::size_t row_bytes = static_cast<std::size_t>(size_px_.width) * 4;
  snapshot_pixels_.resize(row_bytes * static_cast<std::size_t>(size_px_.height));
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glPixelStorei(GL_PACK_ROW_LENGTH, 0);
  glReadPixels(0, 0, size_px_.width, size_px_.height, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV,
               snapshot_pixels_.data());
  context_.throw_reported_error();
  return {snapshot_pixels_.data(), size_px_, row_bytes};
}

PicturePass::Target GlPresenter::window_target() const {
  PicturePass::Target target{0, {}, -1};
  SDL_GL_GetDrawableSize(window_.get(), &target.size_px.width, &target.size_px.height);
  return target;
}

}  // namespace tilewall::present
