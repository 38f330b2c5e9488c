// An OpenGL 4.5 core context on a window, and sole owners for GL objects.
//
// GL objects die on the thread whose context is current: declare them after the GlContext.
#pragma once

#include <GL/glew.h>  // before any other GL header
#include <SDL.h>

#include <string>
#include <string_view>

#include "player/present/presenter.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::present {

struct SdlGlContextTraits {
  using Raw = SDL_GLContext;
  static constexpr SDL_GLContext null() noexcept { return nullptr; }
  static void close(SDL_GLContext context) noexcept { SDL_GL_DeleteContext(context); }
};

/// Sets the pixel format for windows that are made after this call.
void set_gl_attributes();

/// An OpenGL 4.5 core context, current on the thread that made it. In builds with checks the driver
/// reports every error.
class GlContext {
 public:
  /// Throws JobError where OpenGL 4.5 is not available.
  explicit GlContext(SDL_Window* window);
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;

  /// Throws InternalError with the first error that the driver has reported since the last call.
  void throw_reported_error();

 private:
  UniqueHandle<SdlGlContextTraits> context_;
  std::string reported_error_;  ///< written by the debug callback, on this thread
};

/// Describes the renderer of the current context, and whether a GPU stands behind it.
[[nodiscard]] GlProbe describe_renderer(std::string_view renderer);

struct GlewTextureTraits {
  using Raw = GLuint;
  static constexpr GLuint null() noexcept { return 0; }
  static void close(GLuint name) noexcept { glDeleteTextures(1, &name); }
};
struct GlewFramebufferTraits {
  using Raw = GLuint;
  static constexpr GLuint null() noexcept { return 0; }
  static void close(GLuint name) noexcept { glDeleteFramebuffers(1, &name); }
};
struct GlewVertexArrayTraits {
  using Raw = GLuint;
  static constexpr GLuint null() noexcept { return 0; }
  static void close(GLuint name) noexcept { glDeleteVertexArrays(1, &name); }
};
struct GlewProgramTraits {
  using Raw = GLuint;
  static constexpr GLuint null() noexcept { return 0; }
  static void close(GLuint name) noexcept { glDeleteProgram(name); }
};
using GlTexture = UniqueHandle<GlewTextureTraits>;
using GlFramebuffer = UniqueHandle<GlewFramebufferTraits>;
using GlVertexArray = UniqueHandle<GlewVertexArrayTraits>;
using GlProgram = UniqueHandle<GlewProgramTraits>;

/// A texture with one level, nearest filter, clamped to the edge.
[[nodiscard]] GlTexture make_texture(SizePx size_px, std::string_view label,
                                     GLenum format = GL_RGBA8);
[[nodiscard]] GlFramebuffer make_framebuffer(const GlTexture& color, std::string_view label);
[[nodiscard]] GlVertexArray make_vertex_array(std::string_view label);

/// Text of one of the presenter's shaders.
struct ShaderSource {
  GLenum stage = GL_VERTEX_SHADER;
  const char* file = "";  ///< Name for error lines
  const char* text = "";
};

/// Compiles and links a program. Throws InternalError with file and line of the first compile
/// error.
[[nodiscard]] GlProgram make_program(const ShaderSource& vertex, const ShaderSource& fragment,
                                     std::string_view label);

}  // namespace tilewall::present
