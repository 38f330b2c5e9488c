#include "player/director/journal.hpp"

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
#include <tuple>
#include <utility>

#include "sync/base/check.hpp"
#include "sync/base/file.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

constexpr std::string_view line_begin = "{\"sum\":\"";
constexpr std::size_t sum_digits = 16;
constexpr std::size_t body_at = line_begin.size() + sum_digits + 2;  // after the sum and `",`
constexpr std::uint64_t text_at = 4096;  // in memory, after the place of the text's begin
constexpr std::chrono::seconds sync_interval{1};
constexpr std::chrono::milliseconds copy_interval{50};
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

std::uint64_t size_of(int fd) {
  struct stat status = {};
  check_sys(::fstat(fd, &status), "fstat of the journal's memory");
  return static_cast<std::uint64_t>(status.st_size);
}

void write_begin(int fd, std::uint64_t begin) {
  char bytes[sizeof begin];
  std::memcpy(bytes, &begin, sizeof begin);
  write_at(fd, 0, {bytes, sizeof bytes});
}

}  // namespace

std::string to_line(const JournalEntry& entry) {
  const std::string body =
      fmt::format("\"at_ns\":{},\"kind\":{},\"data\":{}}}", entry.at.since_epoch.count(),
                  Json(entry.kind).dump(), entry.data.dump(-1, ' ', true));
  return fmt::format("{}{}\",{}\n", line_begin, sum_of(body), body);
}

std::optional<JournalEntry> entry_from_line(std::string_view line) {
  if (line.size() <= body_at || !line.starts_with(line_begin)) return std::nullopt;
  const std::string_view body = line.substr(body_at);
  if (line.substr(line_begin.size(), sum_digits) != sum_of(body)) return std::nullopt;
  const Json json = Json::parse(line, nullptr, false);
  try {
    return JournalEntry{GlobalInstant{Nanos(json_field<std::int64_t>(json, "at_ns"))},
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
  write_begin(fd.get(), text_at);
  return fd.release();
}

JournalMemory::Range JournalMemory::range() const {
  std::uint64_t begin = 0;
  const ssize_t got = retry_eintr([&] { return ::pread(fd_, &begin, sizeof begin, 0); });
  const std::uint64_t end = size_of(fd_);
  if (got != static_cast<ssize_t>(sizeof begin)) return {end, end};
  return {std::min(begin, end), end};
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

void JournalMemory::append(std::string_view lines) { write_at(fd_, size_of(fd_), lines); }

void JournalMemory::replace(std::string_view text) {
  const std::uint64_t begin = size_of(fd_);
  write_at(fd_, begin, text);
  write_begin(fd_, begin);
  // The old text's memory goes back to the system; offsets stay.
  const std::uint64_t old_end = begin / text_at * text_at;
  if (old_end > text_at)
    std::ignore = ::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, text_at,
                              static_cast<off_t>(old_end - text_at));
}

class JournalCopy::State {
 public:
  State(int memory_fd, std::filesystem::path file) : memory_(memory_fd), file_(std::move(file)) {}

  void run(const std::stop_token& stop);
  void copy_soon();
  [[nodiscard]] bool wait_until_done(std::chrono::milliseconds limit);
  [[nodiscard]] std::string trouble() const;

 private:
  void copy();
  void rewrite(const JournalMemory::Range& range) const;
  void sync() const;

  const JournalMemory memory_;
  const std::filesystem::path file_;
  JournalMemory::Range copied_;  // journal thread only; empty: the file has to be written anew
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
  bool is_dirty = false;
  for (bool last = false; !last;) {
    {
      std::unique_lock lock(mutex_);
      if (!is_new_.load(std::memory_order_acquire))
        changed_.wait_for(lock, stop, copy_interval, [] { return false; });
    }
    is_dirty |= is_new_.exchange(false);
    last = stop.stop_requested();
    if (is_dirty || copied_.end == 0) copy();
    const auto now = std::chrono::steady_clock::now();
    if (now < next_sync && !last) continue;
    next_sync = now + sync_interval;
    if (std::exchange(is_dirty, false)) sync();
  }
  const std::scoped_lock lock(mutex_);
  is_done_ = true;
  changed_.notify_all();
}

/// Brings the file up to date. A failure is kept as the trouble, and tried again a second later.
void JournalCopy::State::copy() {
  std::string trouble;
  try {
    const JournalMemory::Range range = memory_.range();
    if (range.begin != copied_.begin || copied_.end == 0) {
      rewrite(range);
    } else if (range.end > copied_.end) {
      const UniqueFd file(::open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
      if (file.empty() || size_of(file.get()) != copied_.end - copied_.begin)
        rewrite(range);  // another hand has changed it
      else
        write_all(file.get(), memory_.text({copied_.end, range.end}), file_.string());
    }
    copied_ = range;
  } catch (const std::exception& error) {
    copied_ = {};  // a part may be written
    trouble = error.what();
  }
  const std::scoped_lock lock(mutex_);
  trouble_ = std::move(trouble);
}

/// Writes the file anew. A power cut leaves the old one or the new one.
void JournalCopy::State::rewrite(const JournalMemory::Range& range) const {
  const std::string temporary = file_.string() + ".tmp";
  {
    const UniqueFd file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (file.empty()) throw_errno(temporary, errno);
    write_all(file.get(), memory_.text(range), temporary);
    check_sys(::fdatasync(file.get()), temporary.c_str());
  }
  check_sys(::rename(temporary.c_str(), file_.c_str()), file_.c_str());
}

void JournalCopy::State::sync() const {
  const UniqueFd file(::open(file_.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.empty()) std::ignore = ::fdatasync(file.get());
}

}  // namespace tilewall::director
