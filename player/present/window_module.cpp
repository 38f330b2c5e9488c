#include "player/present/window_module.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"

namespace tilewall {
namespace {

constexpr const char* module_name = "tilewall-window.so";

void* load_module() {
  const std::filesystem::path file = own_program(module_name);
  void* module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr)
    throw JobError(fmt::format("cannot load the window module: {}", ::dlerror()));
  return module;
}

template <typename Function>
Function* module_function(const char* symbol) {
  static void* const module = load_module();
  void* const address = ::dlsym(module, symbol);
  TW_CHECK(address != nullptr, "{} in {}", symbol, module_name);
  return reinterpret_cast<Function*>(address);
}

}  // namespace

std::unique_ptr<Presenter> make_window_presenter(const PresenterOptions& options) {
  return std::unique_ptr<Presenter>(
      module_function<MakeWindowPresenter>(make_window_presenter_symbol)(options));
}

GlProbe probe_gl() {
  GlProbe result;
  module_function<ProbeGl>(probe_gl_symbol)(result);
  return result;
}

}  // namespace tilewall
