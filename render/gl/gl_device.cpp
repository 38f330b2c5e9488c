#include "render/gl/gl_device.hpp"

#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "render/gl/gl_functions.hpp"
#include "render/gl/renderer_name.hpp"

namespace tilewall::render {
namespace {

constexpr EGLint most_devices = 32;

// Enumerators of GL_NVX_gpu_memory_info and GL_ATI_meminfo, in KiB; core headers have neither.
constexpr GLenum free_kib_nvx = 0x9049;
constexpr GLenum free_texture_kib_ati = 0x87FC;

bool has_word(const char* words, std::string_view word) {
  std::string_view rest = words == nullptr ? "" : words;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == word) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::size_t ask_free_bytes() {
  GLint extensions = 0;
  gl.GetIntegerv(GL_NUM_EXTENSIONS, &extensions);
  for (GLint i = 0; i < extensions; ++i) {
    const std::string_view name =
        reinterpret_cast<const char*>(gl.GetStringi(GL_EXTENSIONS, static_cast<GLuint>(i)));
    const bool nvx = name == "GL_NVX_gpu_memory_info";
    if (!nvx && name != "GL_ATI_meminfo") continue;
    GLint kib[4] = {};
    gl.GetIntegerv(nvx ? free_kib_nvx : free_texture_kib_ati, kib);
    return static_cast<std::size_t>(std::max(kib[0], 0)) << 10;
  }
  return 0;
}

}  // namespace

/// The EGL library. It is loaded at first use and never unloaded, because drivers have threads.
struct GlDevice::Egl {
#define TILEWALL_EGL_FUNCTIONS(X)   \
  X(BINDAPI, BindAPI)               \
  X(CHOOSECONFIG, ChooseConfig)     \
  X(CREATECONTEXT, CreateContext)   \
  X(DESTROYCONTEXT, DestroyContext) \
  X(INITIALIZE, Initialize)         \
  X(MAKECURRENT, MakeCurrent)       \
  X(QUERYSTRING, QueryString)       \
  X(TERMINATE, Terminate)
#define TILEWALL_EGL_POINTER(type, name) PFNEGL##type##PROC name = nullptr;
  TILEWALL_EGL_FUNCTIONS(TILEWALL_EGL_POINTER)
#undef TILEWALL_EGL_POINTER
  PFNEGLGETPROCADDRESSPROC GetProcAddress = nullptr;
  PFNEGLGETPLATFORMDISPLAYEXTPROC GetPlatformDisplay = nullptr;
  PFNEGLQUERYDEVICESEXTPROC QueryDevices = nullptr;  ///< null: devices cannot be listed
  /// Null: the name of a device cannot be asked for.
  PFNEGLQUERYDEVICESTRINGEXTPROC QueryDeviceString = nullptr;

  /// False where there is no library.
  bool load() {
    void* const library = ::dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    bool all = true;
    const auto find = [&](auto& pointer, const char* name) {
      pointer =
          reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(::dlsym(library, name));
      all = all && pointer != nullptr;
    };
    find(GetProcAddress, "eglGetProcAddress");
#define TILEWALL_EGL_FIND(type, name) find(name, "egl" #name);
    TILEWALL_EGL_FUNCTIONS(TILEWALL_EGL_FIND)
#undef TILEWALL_EGL_FIND
    if (!all) return false;
    const auto ask = [&](auto& pointer, const char* name) {
      pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(GetProcAddress(name));
    };
    ask(GetPlatformDisplay, "eglGetPlatformDisplayEXT");
    ask(QueryDevices, "eglQueryDevicesEXT");
    ask(QueryDeviceString, "eglQueryDeviceStringEXT");
    return GetPlatformDisplay != nullptr;
  }

  /// Displays with GPUs first; others only where they are allowed.
  [[nodiscard]] std::vector<EGLDisplay> displays(GlPreference preference) const {
    std::vector<EGLDisplay> gpus;
    std::vector<EGLDisplay> others;
    EGLDeviceEXT devices[most_devices] = {};
    EGLint count = 0;
    if (QueryDevices == nullptr || QueryDeviceString == nullptr ||
        QueryDevices(most_devices, devices, &count) != EGL_TRUE)
      count = 0;
    for (EGLint i = 0; i < count; ++i) {
      // This is known before the display is opened: starting a driver takes as long as a small
      // picture.
      const bool software =
          has_word(QueryDeviceString(devices[i], EGL_EXTENSIONS), "EGL_MESA_device_software");
      if (software && preference == GlPreference::gpu) continue;
      const EGLDisplay display = GetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr);
      if (display != EGL_NO_DISPLAY) (software ? others : gpus).push_back(display);
    }
    gpus.insert(gpus.end(), others.begin(), others.end());
    if (gpus.empty() && preference == GlPreference::any)
      gpus.push_back(GetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr));
    return gpus;
  }

  static const Egl* loaded() {
    static Egl egl;
    static const bool there = egl.load();
    return there ? &egl : nullptr;
  }
};

struct GlDevice::Context {
  Context(const Egl& with, EGLDisplay on) : egl(with), display(on) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {
    if (context != EGL_NO_CONTEXT) {
      egl.MakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
      egl.DestroyContext(display, context);
    }
    if (initialized) egl.Terminate(display);
  }

  /// Opens the library's entry points. Returns "", or what is missing here.
  const char* open() {
    if (display == EGL_NO_DISPLAY) return "no driver that EGL knows of";
    initialized = egl.Initialize(display, nullptr, nullptr) == EGL_TRUE;
    if (!initialized) return "eglInitialize failed";
    const char* const extensions = egl.QueryString(display, EGL_EXTENSIONS);
    if (!has_word(extensions, "EGL_KHR_surfaceless_context")) return "no context without a surface";
    if (egl.BindAPI(EGL_OPENGL_API) != EGL_TRUE) return "no OpenGL";
    EGLConfig config = EGL_NO_CONFIG_KHR;
    if (!has_word(extensions, "EGL_KHR_no_config_context")) {
      const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                               EGL_OPENGL_BIT, EGL_NONE};
      EGLint found = 0;
      if (egl.ChooseConfig(display, wanted, &config, 1, &found) != EGL_TRUE || found < 1)
        return "no configuration for OpenGL";
    }
    // The context reports resets where the driver can.
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                 4,
                                 EGL_CONTEXT_MINOR_VERSION,
                                 3,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                 EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
                                 EGL_LOSE_CONTEXT_ON_RESET,
                                 EGL_NONE};
    context = egl.CreateContext(display, config, EGL_NO_CONTEXT, attributes);
    if (context == EGL_NO_CONTEXT) {
      const EGLint fewer[] = {attributes[0], attributes[1], attributes[2], attributes[3],
                              attributes[4], attributes[5], EGL_NONE};
      context = egl.CreateContext(display, config, EGL_NO_CONTEXT, fewer);
    }
    if (context == EGL_NO_CONTEXT) return "no OpenGL 4.3";
    if (egl.MakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) != EGL_TRUE)
      return "eglMakeCurrent failed";
    return load_gl_functions(egl.GetProcAddress) ? "" : "functions of OpenGL 4.3 are missing";
  }

  const Egl& egl;
  const EGLDisplay display;
  bool initialized = false;
  EGLContext context = EGL_NO_CONTEXT;
};

std::unique_ptr<GlDevice> GlDevice::open(GlPreference preference, std::string& why_not) {
  const Egl* const egl = Egl::loaded();
  if (egl == nullptr) {
    why_not = "no EGL on this host";
    return nullptr;
  }
  why_not = "no GPU that EGL knows of";
  for (const EGLDisplay display : egl->displays(preference)) {
    auto context = std::make_unique<Context>(*egl, display);
    const std::string missing = context->open();
    if (!missing.empty()) {
      why_not = missing;
      continue;
    }
    auto device = std::unique_ptr<GlDevice>(new GlDevice(std::move(context)));
    if (preference == GlPreference::any || !is_software_renderer(device->renderer_)) return device;
    why_not = fmt::format("only {}, which is no GPU", device->renderer_);
  }
  return nullptr;
}

GlDevice::GlDevice(std::unique_ptr<Context> context) : context_(std::move(context)) {
  const auto* const name = reinterpret_cast<const char*>(gl.GetString(GL_RENDERER));
  renderer_ = name == nullptr ? "a renderer without a name" : name;
  free_bytes_ = ask_free_bytes();
}

GlDevice::~GlDevice() = default;

void GlDevice::check(const char* doing) const {
  const GLenum error = gl.GetError();
  const GLenum reset =
      gl.GetGraphicsResetStatus == nullptr ? GL_NO_ERROR : gl.GetGraphicsResetStatus();
  if (reset != GL_NO_ERROR)
    throw GlLost(fmt::format("{}: the GPU was reset while {}", renderer_, doing));
  if (error != GL_NO_ERROR)
    throw GlLost(fmt::format("{}: OpenGL error {:#x} while {}", renderer_, error, doing));
}

}  // namespace tilewall::render
