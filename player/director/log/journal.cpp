#include "player/director/log/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sync/base/check.hpp"
#include "sync/base/file.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t latest_ns = std::int64_t{1} << 61;  // sums of such times do not overflow
constexpr std::string_view line_begin = "{\"sum\":\"";
constexpr std::size_t sum_digits = 16;
constexpr std::size_t body_at = line_begin.size() + sum_digits + 2;  // after the sum and `",`
constexpr std::uint64_t text_at = 4096;  // in memory, after the place of the text's range
constexpr std::chrono::seconds sync_interval{1};
constexpr std::chrono::milliseconds copy_interval{50};
constexpr std::chrono::seconds retry_interval{1};  // after the file could not be written
constexpr std::chrono::milliseconds last_copy_limit{200};

std::string sum_of(std::string_view body) {
  return fmt::format("{:016x}", XXH3_64bits(body.data(), body.size()));
}

void write_at(int fd, std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = retry_eintr(
        [&] { return ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (put <= 0) throw_errno("the journal's memory", errno);
    bytes.remove_prefix(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
}

/// The kernel copies so few bytes, within one page, whole or not at all when the writer is killed.
void write_range(int fd, const JournalMemory::Range& range) {
  static_assert(std::is_trivially_copyable_v<JournalMemory::Range>);
  char bytes[sizeof range];
  std::memcpy(bytes, &range, sizeof range);
  write_at(fd, 0, {bytes, sizeof bytes});
}

}  // namespace

std::string to_line(const JournalEntry& entry) {
  const std::string body =
      fmt::format("\"at_ns\":{},\"kind\":{},\"data\":{}}}", entry.at.since_epoch.count(),
                  Json(entry.kind).dump(), entry.data.dump(-1, ' ', true));
  return line_of_body(body) + "\n";
}

std::string line_of_body(std::string_view body) {
  return fmt::format("{}{}\",{}", line_begin, sum_of(body), body);
}

std::optional<JournalEntry> entry_from_line(std::string_view line) {
  if (line.size() <= body_at || !line.starts_with(line_begin)) return std::nullopt;
  const std::string_view body = line.substr(body_at);
  if (line.substr(line_begin.size(), sum_digits) != sum_of(body)) return std::nullopt;
  try {
    const Json json = parse_json(line);
    return JournalEntry{
        GlobalInstant{Nanos(json_number<std::int64_t>(json, "at_ns", 0, latest_ns))},
        json_field<std::string>(json, "kind"), json_field<Json>(json, "data")};
  } catch (const InputError&) {
    return std::nullopt;
  }
}

JournalText read_journal(std::string_view text) {
  JournalText found;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;) {
    if (auto entry = entry_from_line(text.substr(0, end)))
      found.entries.push_back(std::move(*entry));
    else
      ++found.damaged_lines;
    text.remove_prefix(end + 1);
  }
  return found;
}

int JournalMemory::make() {
  UniqueFd fd(check_sys(::memfd_create("tilewall-journal", MFD_CLOEXEC), "memfd_create"));
  check_sys(::ftruncate(fd.get(), text_at), "ftruncate");
  write_range(fd.get(), {text_at, text_at});
  return fd.release();
}

JournalMemory::Range JournalMemory::range() const {
  Range range;
  const ssize_t got = retry_eintr([&] { return ::pread(fd_, &range, sizeof range, 0); });
  if (got != static_cast<ssize_t>(sizeof range)) return {text_at, text_at};
  return {std::min(range.begin, range.end), range.end};
}

std::string JournalMemory::text(const Range& range) const {
  std::string text(range.end - range.begin, '\0');
  std::size_t read = 0;
  while (read < text.size()) {
    const ssize_t got = retry_eintr([&] {
      return ::pread(fd_, text.data() + read, text.size() - read,
                     static_cast<off_t>(range.begin + read));
    });
    if (got <= 0) break;
    read += static_cast<std::size_t>(got);
  }
  text.resize(read);
  return text;
}

void JournalMemory::append(std::string_view lines) { write_behind(lines, range().begin); }

void JournalMemory::replace(std::string_view text) {
  const std::uint64_t begin = range().end;
  write_behind(text, begin);
  // The old text's memory goes back to the system; offsets stay.
  const std::uint64_t old_end = begin / text_at * text_at;
  if (old_end > text_at)
    std::ignore = ::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, text_at,
                              static_cast<off_t>(old_end - text_at));
}

void JournalMemory::write_behind(std::string_view text, std::uint64_t begin) {
  const std::uint64_t end = range().end;
  write_at(fd_, end, text);
  write_range(fd_, {begin, end + text.size()});
}

class JournalCopy::State {
 public:
  State(int memory_fd, std::filesystem::path file) : memory_(memory_fd), file_(std::move(file)) {}

  void run(const std::stop_token& stop);
  void copy_soon();
  [[nodiscard]] bool wait_until_done(std::chrono::milliseconds limit);
  [[nodiscard]] std::string trouble() const;

 private:
  [[nodiscard]] bool copy();
  [[nodiscard]] bool is_as_copied() const;
  void append(const JournalMemory::Range& range) const;
  void rewrite(const JournalMemory::Range& range) const;
  void sync() const;

  const JournalMemory memory_;
  const std::filesystem::path file_;
  JournalMemory::Range copied_;  // journal thread only; empty: nothing is copied yet
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::atomic<bool> is_new_ = true;
  bool is_done_ = false;  // guarded by mutex_; the thread has copied the rest
  std::string trouble_;   // guarded by mutex_
};

JournalCopy::JournalCopy(int memory_fd, std::filesystem::path file)
    : state_(std::make_shared<State>(memory_fd, std::move(file))),
      thread_([state = state_](const std::stop_token& stop) { state->run(stop); }) {}

JournalCopy::~JournalCopy() {
  thread_.request_stop();
  // A disk that hangs holds the thread, but not the director.
  if (!state_->wait_until_done(last_copy_limit)) thread_.detach();
}

void JournalCopy::copy_soon() { state_->copy_soon(); }

std::string JournalCopy::trouble() const { return state_->trouble(); }

bool JournalCopy::State::wait_until_done(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return is_done_; });
}

// Waking the thread would cost the director more than the entry itself, so the thread looks.
void JournalCopy::State::copy_soon() { is_new_.store(true, std::memory_order_release); }

std::string JournalCopy::State::trouble() const {
  const std::scoped_lock lock(mutex_);
  return trouble_;
}

void JournalCopy::State::run(const std::stop_token& stop) {
  auto next_sync = std::chrono::steady_clock::now() + sync_interval;
  auto next_copy = std::chrono::steady_clock::now();
  bool is_dirty = true;  // the file has to be written anew
  bool is_copied = false;
  for (bool last = false; !last;) {
    {
      std::unique_lock lock(mutex_);
      if (!is_new_.load(std::memory_order_acquire))
        changed_.wait_for(lock, stop, copy_interval, [] { return false; });
    }
    if (is_new_.exchange(false)) {
      is_dirty = true;
      is_copied = false;
    }
    last = stop.stop_requested();
    const auto now = std::chrono::steady_clock::now();
    if (!is_copied && (now >= next_copy || last)) {
      is_copied = copy();
      next_copy = is_copied ? now : now + retry_interval;
    }
    if (now < next_sync && !last) continue;
    next_sync = now + sync_interval;
    if (std::exchange(is_dirty, false)) sync();
  }
  const std::scoped_lock lock(mutex_);
  is_done_ = true;
  changed_.notify_all();
}

/// Brings the file up to date. Returns whether it is; a failure is kept as the trouble. It leaves
/// the file as it was, so that a full disk needs no more room than what is new.
bool JournalCopy::State::copy() {
  std::string trouble;
  try {
    const JournalMemory::Range range = memory_.range();
    if (range.begin != copied_.begin || !is_as_copied())
      rewrite(range);
    else if (range.end > copied_.end)
      append(range);
    copied_ = range;
  } catch (const std::exception& error) {
    trouble = error.what();
  }
  const std::scoped_lock lock(mutex_);
  trouble_ = std::move(trouble);
  return trouble_.empty();
}

/// Whether the file has the length of what was copied: another hand may have changed it.
bool JournalCopy::State::is_as_copied() const {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(file_, error);
  return !error && size == copied_.end - copied_.begin;
}

/// Adds what is new in the memory.
void JournalCopy::State::append(const JournalMemory::Range& range) const {
  const UniqueFd file(::open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (file.empty()) throw_errno(file_.string(), errno);
  try {
    write_all(file.get(), memory_.text({copied_.end, range.end}), file_.string());
  } catch (const JobError&) {
    std::ignore = ::ftruncate(file.get(), static_cast<off_t>(copied_.end - copied_.begin));
    throw;
  }
}

/// Writes the file anew. A power cut leaves the old one or the new one.
void JournalCopy::State::rewrite(const JournalMemory::Range& range) const {
  const std::string temporary = file_.string() + ".tmp";
  try {
    const UniqueFd file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (file.empty()) throw_errno(temporary, errno);
    write_all(file.get(), memory_.text(range), temporary);
    check_sys(::fdatasync(file.get()), temporary.c_str());
    check_sys(::rename(temporary.c_str(), file_.c_str()), file_.c_str());
  } catch (const JobError&) {
    ::unlink(temporary.c_str());  // on a full disk it would keep the room for what is new
    throw;
  }
}

void JournalCopy::State::sync() const {
  const UniqueFd file(::open(file_.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.empty()) std::ignore = ::fdatasync(file.get());
}

}  // namespace tilewall::director
