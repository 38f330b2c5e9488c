// The functions of OpenGL 4.3 that casters call, loaded by name through EGL. Nothing is linked, so
// that a program starts as fast, and starts at all, on hosts without OpenGL.
#pragma once

#include <GL/glcorearb.h>

#include "sync/base/handle.hpp"

namespace tilewall::render {

#define TILEWALL_GL_FUNCTIONS(X)              \
  X(ACTIVETEXTURE, ActiveTexture)             \
  X(ATTACHSHADER, AttachShader)               \
  X(BEGINQUERY, BeginQuery)                   \
  X(BINDBUFFER, BindBuffer)                   \
  X(BINDBUFFERBASE, BindBufferBase)           \
  X(BINDTEXTURE, BindTexture)                 \
  X(BUFFERDATA, BufferData)                   \
  X(BUFFERSUBDATA, BufferSubData)             \
  X(CLEARBUFFERSUBDATA, ClearBufferSubData)   \
  X(COMPILESHADER, CompileShader)             \
  X(COPYBUFFERSUBDATA, CopyBufferSubData)     \
  X(CREATEPROGRAM, CreateProgram)             \
  X(CREATESHADER, CreateShader)               \
  X(DELETEBUFFERS, DeleteBuffers)             \
  X(DELETEPROGRAM, DeleteProgram)             \
  X(DELETEQUERIES, DeleteQueries)             \
  X(DELETESHADER, DeleteShader)               \
  X(DELETETEXTURES, DeleteTextures)           \
  X(DISPATCHCOMPUTE, DispatchCompute)         \
  X(ENDQUERY, EndQuery)                       \
  X(GENBUFFERS, GenBuffers)                   \
  X(GENQUERIES, GenQueries)                   \
  X(GENTEXTURES, GenTextures)                 \
  X(GETERROR, GetError)                       \
  X(GETINTEGERV, GetIntegerv)                 \
  X(GETPROGRAMINFOLOG, GetProgramInfoLog)     \
  X(GETPROGRAMIV, GetProgramiv)               \
  X(GETQUERYOBJECTUI64V, GetQueryObjectui64v) \
  X(GETSHADERINFOLOG, GetShaderInfoLog)       \
  X(GETSHADERIV, GetShaderiv)                 \
  X(GETSTRING, GetString)                     \
  X(GETSTRINGI, GetStringi)                   \
  X(LINKPROGRAM, LinkProgram)                 \
  X(MAPBUFFERRANGE, MapBufferRange)           \
  X(MEMORYBARRIER, MemoryBarrier)             \
  X(OBJECTLABEL, ObjectLabel)                 \
  X(PIXELSTOREI, PixelStorei)                 \
  X(SHADERSOURCE, ShaderSource)               \
  X(TEXPARAMETERI, TexParameteri)             \
  X(TEXSTORAGE1D, TexStorage1D)               \
  X(TEXSTORAGE3D, TexStorage3D)               \
  X(TEXSUBIMAGE1D, TexSubImage1D)             \
  X(TEXSUBIMAGE3D, TexSubImage3D)             \
  X(UNMAPBUFFER, UnmapBuffer)                 \
  X(USEPROGRAM, UseProgram)

struct GlFunctions {
#define TILEWALL_GL_POINTER(type, name) PFNGL##type##PROC name = nullptr;
  /// Null: the driver never reports a reset.
  TILEWALL_GL_FUNCTIONS(TILEWALL_GL_POINTER)
#undef TILEWALL_GL_POINTER
  PFNGLGETGRAPHICSRESETSTATUSPROC GetGraphicsResetStatus = nullptr;
};

/// The functions of this process, the same for all contexts. The first GlDevice fills them.
extern GlFunctions gl;

/// Loads the functions. `get` is eglGetProcAddress. False where one is missing.
bool load_gl_functions(void (*(*get)(const char*))());

// Sole owners of GL objects. They are destroyed on the thread of their GlDevice, before it.
struct GlTextureTraits {
  using Raw = GLuint;
  static constexpr GLuint null() noexcept { return 0; }
  static void close(GLuint name) noexcept { gl.DeleteTextures(1, &name); }
};
struct GlBufferTraits {
  using Raw = GLuint;
  static constexpr GLuint null() noexcept { return 0; }
  static void close(GLuint name) noexcept { gl.DeleteBuffers(1, &name); }
};
struct GlProgramTraits {
  using Raw = GLuint;
  static constexpr GLuint null() noexcept { return 0; }
  static void close(GLuint name) noexcept { gl.DeleteProgram(name); }
};
struct GlShaderTraits {
  using Raw = GLuint;
  static constexpr GLuint null() noexcept { return 0; }
  static void close(GLuint name) noexcept { gl.DeleteShader(name); }
};
struct GlQueryTraits {
  using Raw = GLuint;
  static constexpr GLuint null() noexcept { return 0; }
  static void close(GLuint name) noexcept { gl.DeleteQueries(1, &name); }
};
}  // namespace tilewall::render
