#include "player/trace/crash_news.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "player/trace/host_log.hpp"
#include "sync/base/crash_report.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/process.hpp"

namespace tilewall::trace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t longest_name = 100;
constexpr std::size_t most_at_once = 4;

/// A name of letters, digits and "-_.", so that it cannot lead out of a folder.
std::string name_field(const Json& json, const char* field) {
  auto name = json_field<std::string>(json, field);
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  expect_field(!name.empty() && name.size() <= longest_name && name.front() != '.' &&
                   std::ranges::all_of(name, is_plain),
               field, "a name of letters, digits and \"-_.\"");
  return name;
}

}  // namespace

Json to_json(const CrashMessage& message) {
  return {{"type", "crash"}, {"host", message.host}, {"role", message.role}};
}

CrashMessage crash_from(const Json& json, std::vector<std::uint8_t> blob) {
  expect_field(blob.size() <= longest_crash_report, "blob", "a report of at most 512 KiB");
  return {name_field(json, "host"), name_field(json, "role"), std::move(blob)};
}

CrashNews::CrashNews(fs::path run_dir)
    : logs_(is_directors_own(run_dir) ? fs::path() : run_dir / "logs") {}

std::vector<CrashMessage> CrashNews::take() {
  std::vector<CrashMessage> news;
  if (logs_.empty()) return news;
  for (const fs::path& file : entries_of(logs_)) {
    if (news.size() == most_at_once) break;
    const std::string role = file.stem().string();
    std::error_code error;
    const std::uintmax_t size = fs::file_size(file, error);
    if (file.extension() != crash_suffix || error || size == 0 || sent_[role] == size) continue;
    sent_[role] = size;
    const std::string report = file_ending(file, longest_crash_report);
    news.push_back({host_name(), role, {report.begin(), report.end()}});
  }
  return news;
}

void keep_crash(const fs::path& run_dir, const CrashMessage& message) {
  const std::string name = message.host + "-" + message.role + crash_suffix;
  try {
    write_file_atomically(
        run_dir / "logs" / name,
        {reinterpret_cast<const char*>(message.report.data()), message.report.size()});
  } catch (const JobError&) {
    // The disk is full, which the show's report says.
  }
}

}  // namespace tilewall::trace
