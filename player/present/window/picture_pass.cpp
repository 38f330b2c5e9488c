#include "player/present/window/picture_pass.hpp"

#include <array>
#include <vector>

#include "player/present/correction/copy_picture.hpp"
#include "player/present/correction/edge_mask.hpp"
#include "player/present/window/shaders.hpp"
#include "sync/base/check.hpp"

namespace tilewall::present {

void upload(const GlTexture& texture, const ImageView& picture, PointPx at) {
  TW_CHECK(picture.stride_bytes % 4 == 0, "stride {}", picture.stride_bytes);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, static_cast<GLint>(picture.stride_bytes / 4));
  glTextureSubImage2D(texture.get(), 0, at.x, at.y, picture.size_px.width, picture.size_px.height,
                      GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, picture.pixels);
}

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

}  // namespace

PicturePass::PicturePass(const PresenterOptions& options)
    : program_(make_program(
          {GL_VERTEX_SHADER, "player/present/window/shaders/present.vert", present_vert},
          {GL_FRAGMENT_SHADER, "player/present/window/shaders/present.frag", present_frag},
          "present")),
      no_vertices_(make_vertex_array("no vertices")),
      color_tables_(make_color_tables(options.color)),
      edge_factors_(make_edge_factors(options.blend,
                                      turned_size_px(options.frame_buffer_px, options.rotation))) {
  glProgramUniformMatrix3x2fv(program_.get(), at_picture_from_frame_buffer, 1, GL_FALSE,
                              picture_from_frame_buffer(options.rotation).data());
  glProgramUniform1i(program_.get(), at_match_colors, options.color.identity() ? 0 : 1);
  glProgramUniform1i(program_.get(), at_blend_edges, options.blend.empty() ? 0 : 1);
}

void PicturePass::draw(const GlTexture& picture, const Target& target) const {
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
