#include "player/present/window_module.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::present {

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

namespace {

constexpr std::chrono::seconds probe_limit{3};
constexpr std::size_t max_answer_bytes = 64 * 1024;

}  // namespace

int write_gl_probe(const std::filesystem::path& file) {
  const GlProbe probe = probe_gl();
  const nlohmann::json json = {
      {"usable", probe.usable}, {"hardware", probe.hardware}, {"renderer", probe.renderer}};
  write_file_atomically(file, json.dump() + "\n");
  return exit_done;
}

GlProbe run_gl_probe(const std::filesystem::path& file) {
  const auto program = own_program("tilewall-panel").string();
  const ChildEnd end =
      wait_for(start_program({program, "--probe-gl", file.string()}, {}), probe_limit);
  if (end.signal != 0 || end.exit_code != exit_done) return {false, false, "the probe failed"};
  const auto json = nlohmann::json::parse(read_text_file(file, max_answer_bytes), nullptr, false);
  if (!json.is_object()) return {false, false, "the probe said nothing"};
  return {json.value("usable", false), json.value("hardware", false),
          json.value("renderer", std::string())};
}

}  // namespace tilewall::present
