#include "player/survey/file_facts.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::survey {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t hash_piece_bytes = std::size_t{1} << 20;

struct stat stat_of(const fs::path& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0)
    throw InputError({path.string()}, "", "a file",
                     errno == ENOENT ? "none" : std::strerror(errno));
  return found;
}

/// The files below a folder, as names relative to it.
std::vector<std::string> names_below(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    if (!it->is_directory(error)) names.push_back(it->path().lexically_relative(folder).string());
  if (error) throw InputError({folder.string()}, "", "a readable folder", error.message());
  return names;
}

/// XXH3-64 of names, sizes and contents.
class FilesHash {
 public:
  FilesHash() : state_(XXH3_createState(), XXH3_freeState), piece_(hash_piece_bytes) {
    TW_CHECK(state_ != nullptr && XXH3_64bits_reset(state_.get()) == XXH_OK);
  }

  /// `name` = "" for a file that is a subject by itself.
  void add(const std::string& name, const fs::path& file) {
    if (!name.empty()) add_bytes(name.c_str(), name.size() + 1);
    const UniqueFd fd = open_for_reading(file);
    std::uint64_t size_bytes = 0;
    for (;;) {
      const ssize_t got =
          check_sys(retry_eintr([&] { return ::read(fd.get(), piece_.data(), piece_.size()); }),
                    file.string());
      if (got == 0) break;
      add_bytes(piece_.data(), static_cast<std::size_t>(got));
      size_bytes += static_cast<std::uint64_t>(got);
    }
    if (!name.empty()) add_bytes(&size_bytes, sizeof size_bytes);
  }

  [[nodiscard]] std::string text() const {
    return fmt::format("{:016x}", XXH3_64bits_digest(state_.get()));
  }

 private:
  void add_bytes(const void* bytes, std::size_t count) {
    XXH3_64bits_update(state_.get(), bytes, count);
  }

  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
  std::vector<std::uint8_t> piece_;
};

std::int64_t modified_ns(const struct stat& of) {
  return static_cast<std::int64_t>(of.st_mtim.tv_sec) * 1'000'000'000 + of.st_mtim.tv_nsec;
}

std::string date_text(std::int64_t since_1970_ns) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                     fmt::gmtime(static_cast<std::time_t>(since_1970_ns / 1'000'000'000)));
}

std::string facts_text(const FileFacts& facts) {
  std::string text;
  if (facts.files != 1) text += fmt::format("{} files, ", facts.files);
  text += bytes_text(static_cast<double>(facts.size_bytes)) + ", " + date_text(facts.modified_ns);
  if (facts.hash) text += ", XXH3 " + *facts.hash;
  return text;
}

}  // namespace

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"bytes", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 1000 && unit + 1 < std::size(units)) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 100 ? 0 : 1, units[unit]);
}

std::string subject_name(const fs::path& path, const std::vector<std::string>& names) {
  const auto first = std::ranges::find_if(names, [](const auto& name) { return !name.empty(); });
  if (first == names.end()) return path.string();
  const std::string name = (path / *first).string();
  return names.size() == 1 ? name : fmt::format("{} and {} more", name, names.size() - 1);
}

FileFacts facts_of(const fs::path& path, const std::vector<std::string>& names, Hashing hashing) {
  FileFacts facts;
  const struct stat whole = stat_of(path);
  if (!S_ISREG(whole.st_mode) && !S_ISDIR(whole.st_mode))
    throw InputError({path.string()}, "", "a file or a folder", "neither");
  FilesHash hash;
  if (S_ISREG(whole.st_mode)) {
    facts.size_bytes = static_cast<std::uint64_t>(whole.st_size);
    facts.modified_ns = modified_ns(whole);
    if (hashing == Hashing::contents) {
      hash.add("", path);
      facts.hash = hash.text();
    }
    return facts;
  }
  std::vector<std::string> all = names.empty() ? names_below(path) : names;
  std::ranges::sort(all);
  facts.files = 0;
  for (const std::string& name : all) {
    if (name.empty()) continue;  // a gap of a sequence
    const struct stat one = stat_of(path / name);
    ++facts.files;
    facts.size_bytes += static_cast<std::uint64_t>(one.st_size);
    facts.modified_ns = std::max(facts.modified_ns, modified_ns(one));
    if (hashing == Hashing::contents) hash.add(name, path / name);
  }
  if (hashing == Hashing::contents) facts.hash = hash.text();
  return facts;
}

SurveyCheck compare_files(const FileSubject& subject, const FileFacts& found) {
  const FileFacts& expected = subject.facts;
  SurveyCheck check{CheckKind::file,
                    subject_name(subject.path, subject.names),
                    subject.label,
                    Light::red,
                    facts_text(expected),
                    facts_text(found),
                    ""};
  if (found.files != expected.files) {
    check.text = fmt::format("{} files, expected {}", found.files, expected.files);
  } else if (found.size_bytes != expected.size_bytes) {
    check.text =
        fmt::format("another size: {} bytes, expected {}", found.size_bytes, expected.size_bytes);
  } else if (expected.hash) {
    const bool same = found.hash == expected.hash;
    check.light = same ? Light::green : Light::red;
    check.text = same ? "the same contents" : "the same size, but other contents";
  } else if (std::abs(found.modified_ns - expected.modified_ns) >= same_date_ns) {
    check.light = Light::amber;
    check.text = fmt::format(
        "the same size, but changed {}, expected {}: a copy, or other "
        "contents (a hash tells)",
        date_text(found.modified_ns), date_text(expected.modified_ns));
  } else {
    check.light = Light::green;
    check.text = "the same size and date";
  }
  return check;
}

SurveyCheck check_files(const FileSubject& subject) {
  const Hashing hashing = subject.facts.hash ? Hashing::contents : Hashing::none;
  try {
    return compare_files(subject, facts_of(subject.path, subject.names, hashing));
  } catch (const std::exception& error) {
    return {CheckKind::file,
            subject_name(subject.path, subject.names),
            subject.label,
            subject.required ? Light::red : Light::amber,
            facts_text(subject.facts),
            "",
            error.what() + std::string(subject.required ? "" : ": the show's server has it")};
  }
}

}  // namespace tilewall::survey
