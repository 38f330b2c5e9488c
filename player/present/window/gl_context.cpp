#include "player/present/window/gl_context.hpp"

#include <fmt/format.h>

#include "player/present/window/sdl_video.hpp"
#include "render/gl/renderer_name.hpp"
#include "sync/base/check.hpp"

namespace tilewall::present {

namespace {

#ifdef NDEBUG
constexpr bool checked_build = false;
#else
constexpr bool checked_build = true;
#endif

// Debian's GLEW first tries GLX. Under EGL it reports this error although every entry point is
// loaded.
constexpr GLenum glew_error_no_glx_display = 4;

void GLAPIENTRY on_debug_message(GLenum, GLenum type, GLuint, GLenum severity, GLsizei length,
                                 const GLchar* message, const void* user) {
  if (type != GL_DEBUG_TYPE_ERROR && severity != GL_DEBUG_SEVERITY_HIGH) return;
  // An exception must not pass through the driver, so throw_reported_error() throws it later.
  auto& reported = *static_cast<std::string*>(const_cast<void*>(user));
  if (reported.empty()) reported.assign(message, static_cast<std::size_t>(length));
}

GLsizei label_length(std::string_view label) { return static_cast<GLsizei>(label.size()); }

}  // namespace

void set_gl_attributes() {
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 4);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 5);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_FLAGS, checked_build ? SDL_GL_CONTEXT_DEBUG_FLAG : 0);
  SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
  SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 0);
  SDL_GL_SetAttribute(SDL_GL_ALPHA_SIZE, 0);
}

GlContext::GlContext(SDL_Window* window) : context_(SDL_GL_CreateContext(window)) {
  if (context_.empty())
    throw JobError(sdl_failure("no OpenGL 4.5 (--presenter cpu needs none): SDL_GL_CreateContext"));
  glewExperimental = GL_TRUE;
  const GLenum error = glewInit();
  if ((error != GLEW_OK && error != glew_error_no_glx_display) || glCreateTextures == nullptr)
    throw JobError(fmt::format("no OpenGL 4.5 (--presenter cpu needs none): glewInit returned {}",
                               static_cast<unsigned>(error)));
  if constexpr (checked_build) {
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(on_debug_message, &reported_error_);
  }
}

void GlContext::throw_reported_error() {
  if (reported_error_.empty()) return;
  throw InternalError("OpenGL: " + std::exchange(reported_error_, {}));
}

GlProbe describe_renderer(std::string_view renderer) {
  return {.usable = true,
          .hardware = !render::is_software_renderer(renderer),
          .renderer = std::string(renderer)};
}

GlTexture make_texture(SizePx size_px, std::string_view label, GLenum format) {
  GLuint name = 0;
  glCreateTextures(GL_TEXTURE_2D, 1, &name);
  GlTexture texture(name);
  glTextureStorage2D(name, 1, format, size_px.width, size_px.height);
  glTextureParameteri(name, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTextureParameteri(name, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTextureParameteri(name, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTextureParameteri(name, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glObjectLabel(GL_TEXTURE, name, label_length(label), label.data());
  return texture;
}

GlFramebuffer make_framebuffer(const GlTexture& color, std::string_view label) {
  GLuint name = 0;
  glCreateFramebuffers(1, &name);
  GlFramebuffer framebuffer(name);
  glNamedFramebufferTexture(name, GL_COLOR_ATTACHMENT0, color.get(), 0);
  TW_CHECK(glCheckNamedFramebufferStatus(name, GL_DRAW_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
  glObjectLabel(GL_FRAMEBUFFER, name, label_length(label), label.data());
  return framebuffer;
}

GlVertexArray make_vertex_array(std::string_view label) {
  GLuint name = 0;
  glCreateVertexArrays(1, &name);
  GlVertexArray vertex_array(name);
  glObjectLabel(GL_VERTEX_ARRAY, name, label_length(label), label.data());
  return vertex_array;
}

namespace {

struct GlewShaderTraits {
  using Raw = GLuint;
  static constexpr GLuint null() noexcept { return 0; }
  static void close(GLuint name) noexcept { glDeleteShader(name); }
};
using GlShader = UniqueHandle<GlewShaderTraits>;

constexpr GLsizei log_bytes = 2048;

GlShader compile(const ShaderSource& source) {
  GlShader shader(glCreateShader(source.stage));
  glShaderSource(shader.get(), 1, &source.text, nullptr);
  glCompileShader(shader.get());
  GLint compiled = GL_FALSE;
  glGetShaderiv(shader.get(), GL_COMPILE_STATUS, &compiled);
  if (compiled == GL_TRUE) return shader;
  char log[log_bytes] = "";
  glGetShaderInfoLog(shader.get(), log_bytes, nullptr, log);
  throw InternalError(fmt::format("{}: {}", source.file, log));
}

}  // namespace

GlProgram make_program(const ShaderSource& vertex, const ShaderSource& fragment,
                       std::string_view label) {
  const GlShader shaders[] = {compile(vertex), compile(fragment)};
  GlProgram program(glCreateProgram());
  for (const GlShader& shader : shaders) glAttachShader(program.get(), shader.get());
  glLinkProgram(program.get());
  for (const GlShader& shader : shaders) glDetachShader(program.get(), shader.get());
  GLint linked = GL_FALSE;
  glGetProgramiv(program.get(), GL_LINK_STATUS, &linked);
  if (linked != GL_TRUE) {
    char log[log_bytes] = "";
    glGetProgramInfoLog(program.get(), log_bytes, nullptr, log);
    throw InternalError(fmt::format("{} + {}: {}", vertex.file, fragment.file, log));
  }
  glObjectLabel(GL_PROGRAM, program.get(), static_cast<GLsizei>(label.size()), label.data());
  return program;
}

}  // namespace tilewall::present
