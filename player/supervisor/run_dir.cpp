#include "player/supervisor/run_dir.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view own_prefix = "tilewall-";

/// The process number at the end of a run directory's own name; 0 when it is not one of those.
pid_t pid_of(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::string prefix = fmt::format("{}{}-", own_prefix, ::getuid());
  if (!name.starts_with(prefix)) return 0;
  pid_t pid = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, pid);
  return error == std::errc{} && stop == end ? pid : 0;
}

void remove_stale(const fs::path& base) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(base, error)) {
    const pid_t pid = pid_of(entry.path());
    if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), error);
  }
}

fs::path base_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  return runtime != nullptr && ::access(runtime, W_OK) == 0 ? fs::path(runtime)
                                                            : fs::temp_directory_path();
}

fs::path own_path() {
  const fs::path base = base_folder();
  remove_stale(base);
  return base / fmt::format("{}{}-{}", own_prefix, ::getuid(), ::getpid());
}

}  // namespace

RunDir::RunDir(const fs::path& wanted) {
  const fs::path path = wanted.empty() ? own_path() : fs::absolute(wanted);
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_empty(path, error))
    throw InputError({"--run-dir"}, "", "a folder that is new or empty", path.string());
  fs::create_directories(path.parent_path(), error);
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    throw InputError({"--run-dir"}, "", "a folder that can be made",
                     fmt::format("{} ({})", path.string(), std::strerror(errno)));
  path_ = path;
  fs::create_directory(path / "pids");
  fs::create_directory(path / "logs");
}

RunDir::~RunDir() {
  std::error_code error;
  fs::remove_all(path_, error);
}

fs::path RunDir::log(const std::string& role) const { return path_ / "logs" / (role + ".log"); }

void RunDir::write_pid(const std::string& role, pid_t pid) const {
  write("pids/" + role, std::to_string(pid));
}

void RunDir::write_secret(const std::string& name, const std::string& text) const {
  const mode_t before = ::umask(0077);
  write(name, text);
  ::umask(before);
}

void RunDir::write(const std::string& name, const std::string& text) const {
  write_file_atomically(path_ / name, text + "\n");
}

std::vector<fs::path> running_walls() {
  std::vector<fs::path> running;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(base_folder(), error)) {
    const pid_t pid = pid_of(entry.path());
    if (pid > 0 && ::kill(pid, 0) == 0 && fs::exists(entry.path() / "control.addr", error))
      running.push_back(entry.path());
  }
  const auto made_at = [](const fs::path& folder) {
    std::error_code ignored;
    return fs::last_write_time(folder, ignored);
  };
  std::sort(running.begin(), running.end(),
            [&](const fs::path& a, const fs::path& b) { return made_at(a) > made_at(b); });
  return running;
}

}  // namespace tilewall
