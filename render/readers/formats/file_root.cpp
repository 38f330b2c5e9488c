#include "render/readers/formats/file_root.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::render {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_others = 100;

fs::path whole_path(const fs::path& file) {
  std::error_code error;
  const fs::path whole = fs::absolute(file, error);
  return (error ? file : whole).lexically_normal();
}

bool leads_out(const fs::path& relative) {
  return relative.empty() || relative.is_absolute() || *relative.begin() == "..";
}

}  // namespace

FileRoot& FileRoot::of_process() {
  static FileRoot root;
  return root;
}

void FileRoot::confine(UniqueFd fd, fs::path folder) {
  fd_ = std::move(fd);
  folder_ = std::move(folder);
}

void FileRoot::check(const fs::path& file) const {
  if (is_confined()) check_beneath(folder_, file);
}

UniqueFd FileRoot::open(const fs::path& file) {
  note(file);
  return is_confined() ? open_for_reading_beneath(fd_.get(), folder_, file)
                       : open_for_reading(file);
}

std::string FileRoot::read_text(const fs::path& file, std::size_t max_bytes) {
  const UniqueFd fd = open(file);
  return read_all(fd.get(), file, max_bytes);
}

FileRoot::ForLibrary FileRoot::for_library(const fs::path& file) {
  if (!is_confined()) {
    note(file);
    return {{}, file.string()};
  }
  UniqueFd fd = open(file);
  std::string path = "/proc/self/fd/" + std::to_string(fd.get());
  return {std::move(fd), std::move(path)};
}

void FileRoot::note_reference(const std::string& from, const std::string& field,
                              const std::string& to) {
  if (is_confined()) throw InputError({from}, field, "data in this file", "data in another file");
  const fs::path file =
      fs::path(to).is_absolute() ? fs::path(to) : fs::path(from).parent_path() / to;
  // A library takes a file that it may not open for a missing one, and fills its part.
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.empty() && errno == EACCES)
    throw InputError({file.string()}, "", "a readable file", std::strerror(EACCES));
  note(file);
}

void FileRoot::watch(const fs::path& main) {
  main_ = whole_path(main);
  std::error_code error;
  if (!fs::exists(main_, error)) main_ = main_.parent_path();  // a pattern stands for its files
  others_.clear();
}

void FileRoot::note(const fs::path& file) {
  if (main_.empty() || others_.size() >= most_others) return;
  const fs::path whole = whole_path(file);
  if (!leads_out(whole.lexically_relative(main_))) return;  // the same, or below it
  const std::string name = whole.string();
  if (std::find(others_.begin(), others_.end(), name) == others_.end()) others_.push_back(name);
}

}  // namespace tilewall::render
