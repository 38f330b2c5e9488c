// Compiles and links the presenter's shaders.
#pragma once

#include "player/present/window/gl_context.hpp"

namespace tilewall {

struct ShaderSource {
  GLenum stage = GL_VERTEX_SHADER;
  const char* file = "";  ///< for error lines
  const char* text = "";
};

/// Throws InternalError with file and line of the first compile error.
[[nodiscard]] GlProgram make_program(const ShaderSource& vertex, const ShaderSource& fragment,
                                     std::string_view label);

}  // namespace tilewall
