#include "player/present/window/gl_program.hpp"

#include "sync/base/check.hpp"

namespace tilewall {
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

}  // namespace tilewall
