#include "player/present/window/gl_presenter.hpp"

#include "player/present/correction/copy_picture.hpp"
#include "player/present/correction/edge_mask.hpp"
#include "player/present/window/gl_context.hpp"
#include "player/present/window/shaders.hpp"
#include "sync/base/check.hpp"

namespace tilewall::present {
namespace {

// As in the shaders.
constexpr GLint at_picture_from_frame_buffer = 0;
constexpr GLint at_y_down = 1;
constexpr GLint at_match_colors = 2;
constexpr GLint at_blend_edges = 3;
constexpr GLuint picture_unit = 0;
constexpr GLuint color_tables_unit = 1;
constexpr GLuint edge_factors_unit = 2;

using Affine = std::array<float, 6>;  ///< columns: x axis, y axis, origin

/// viewed_place() between 0 and 1 instead of in pixels.
Affine picture_from_frame_buffer(wall::Rotation rotation) {
  switch (rotation) {
    case wall::Rotation::deg0:
      return {1, 0, 0, 1, 0, 0};
    case wall::Rotation::deg90:
      return {0, 1, -1, 0, 1, 0};
    case wall::Rotation::deg180:
      return {-1, 0, 0, -1, 1, 1};
    case wall::Rotation::deg270:
      return {0, -1, 1, 0, 0, 1};
  }
  return {};
}

void upload(const GlTexture& texture, const ImageView& picture, PointPx at = {}) {
  TW_CHECK(picture.stride_bytes % 4 == 0, "stride {}", picture.stride_bytes);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, static_cast<GLint>(picture.stride_bytes / 4));
  glTextureSubImage2D(texture.get(), 0, at.x, at.y, picture.size_px.width, picture.size_px.height,
                      GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, picture.pixels);
}

/// ColorTables as a row of 256 BGRX pixels.
GlTexture make_color_tables(const wall::ColorMatch& color) {
  const ColorTables tables(color);
  std::array<std::uint32_t, 256> row{};
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = tables.blue[i] | tables.green[i] | tables.red[i] | 0xff000000U;
  GlTexture texture = make_texture({256, 1}, "colour tables");
  upload(texture, {reinterpret_cast<std::uint8_t*>(row.data()), {256, 1}, sizeof row});
  return texture;
}

/// In the picture's orientation; one pixel of no use where nothing is blended.
GlTexture make_edge_factors(const wall::PanelBlend& blend, SizePx viewed_px) {
  if (blend.empty()) return make_texture({1, 1}, "no edge factors", GL_R16);
  GlTexture texture = make_texture(viewed_px, "edge factors", GL_R16);
  const std::vector<std::uint16_t> factors = blend_factors(blend, viewed_px, wall::Rotation::deg0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 2);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glTextureSubImage2D(texture.get(), 0, 0, 0, viewed_px.width, viewed_px.height, GL_RED,
                      GL_UNSIGNED_SHORT, factors.data());
  return texture;
}

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
      program_(make_program(
          {GL_VERTEX_SHADER, "player/present/window/shaders/present.vert", present_vert},
          {GL_FRAGMENT_SHADER, "player/present/window/shaders/present.frag", present_frag},
          "present")),
      no_vertices_(make_vertex_array("no vertices")),
      color_tables_(make_color_tables(options.color)),
      edge_factors_(make_edge_factors(options.blend, viewed_size_px_)),
      pictures_{make_texture(viewed_size_px_, "picture 0"),
                make_texture(viewed_size_px_, "picture 1")},
      snapshot_(make_texture(size_px_, "snapshot")),
      snapshot_target_(make_framebuffer(snapshot_, "snapshot")) {
  set_constants(options);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  flip();
}

void GlPresenter::set_constants(const PresenterOptions& options) {
  glProgramUniformMatrix3x2fv(program_.get(), at_picture_from_frame_buffer, 1, GL_FALSE,
                              picture_from_frame_buffer(options.rotation).data());
  glProgramUniform1i(program_.get(), at_match_colors, options.color.identity() ? 0 : 1);
  glProgramUniform1i(program_.get(), at_blend_edges, options.blend.empty() ? 0 : 1);
}

void GlPresenter::prepare(const ImageView& picture, const Inset& inset) {
  TW_CHECK(picture.size_px == viewed_size_px_, "{}x{}", picture.size_px.width,
           picture.size_px.height);
  const GlTexture& back = pictures_[1 - front_];
  upload(back, picture);
  if (const Inset seen = clipped(inset, viewed_size_px_); !seen.empty())
    upload(back, seen.image, seen.at_px);
  draw(back, window_target());
  glFinish();  // all but the flip is done before the due instant
  prepared_ = true;
  context_.throw_reported_error();
}

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
    draw(pictures_[front_], window_target());
    flip();
    repaint_due_ = false;
  }
  return std::move(events.input);
}

ImageView GlPresenter::shown() {
  if (!any_shown_) return {};
  draw(pictures_[front_], {snapshot_target_.get(), size_px_, 1});
  const std::size_t row_bytes = static_cast<std::size_t>(size_px_.width) * 4;
  snapshot_pixels_.resize(row_bytes * static_cast<std::size_t>(size_px_.height));
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glPixelStorei(GL_PACK_ROW_LENGTH, 0);
  glReadPixels(0, 0, size_px_.width, size_px_.height, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV,
               snapshot_pixels_.data());
  context_.throw_reported_error();
  return {snapshot_pixels_.data(), size_px_, row_bytes};
}

GlPresenter::Target GlPresenter::window_target() const {
  Target target{0, {}, -1};
  SDL_GL_GetDrawableSize(window_.get(), &target.size_px.width, &target.size_px.height);
  return target;
}

void GlPresenter::draw(const GlTexture& picture, const Target& target) const {
  glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer);
  glViewport(0, 0, target.size_px.width, target.size_px.height);
  for (const int off : {GL_BLEND, GL_DITHER, GL_DEPTH_TEST, GL_SCISSOR_TEST, GL_FRAMEBUFFER_SRGB})
    glDisable(static_cast<GLenum>(off));
  glUseProgram(program_.get());
  glProgramUniform1f(program_.get(), at_y_down, target.y_down);
  glBindTextureUnit(picture_unit, picture.get());
  glBindTextureUnit(color_tables_unit, color_tables_.get());
  glBindTextureUnit(edge_factors_unit, edge_factors_.get());
  glBindVertexArray(no_vertices_.get());
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

}  // namespace tilewall::present
