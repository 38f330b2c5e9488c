// The pass that draws a panel's picture as its display needs it: turned, with the colour match and
// the edge blend, by the shaders of this folder.
//
// Threads: the one whose GL context is current.
#pragma once

#include <cstdint>

#include "player/present/presenter.hpp"
#include "player/present/window/gl_context.hpp"

namespace tilewall::present {

/// Copies a picture into a part of the texture that begins at `at`. @pre rows of whole pixels
void upload(const GlTexture& texture, const ImageView& picture, PointPx at = {});

class PicturePass {
 public:
  /// What is drawn on.
  struct Target {
    GLuint framebuffer;
    SizePx size_px;
    float y_down;  ///< the uniform y_down of present.vert
  };

  /// @pre a GL context is current
  explicit PicturePass(const PresenterOptions& options);

  /// `picture` has the size of the panel as it is viewed.
  void draw(const GlTexture& picture, const Target& target) const;

 private:
  GlProgram program_;
  GlVertexArray no_vertices_;
  GlTexture color_tables_;
  GlTexture edge_factors_;
};

}  // namespace tilewall::present
