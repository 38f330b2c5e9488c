#include "render/gl/gl_functions.hpp"

namespace tilewall::render {

GlFunctions gl;

bool load_gl_functions(void (*(*get)(const char*))()) {
  const auto load = [get](auto& pointer, const char* name) {
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(get(name));
    return pointer != nullptr;
  };
  bool all = true;
#define TILEWALL_GL_LOAD(type, name) all = load(gl.name, "gl" #name) && all;
  TILEWALL_GL_FUNCTIONS(TILEWALL_GL_LOAD)
#undef TILEWALL_GL_LOAD
  load(gl.GetGraphicsResetStatus, "glGetGraphicsResetStatus");
  return all;
}

}  // namespace tilewall::render
