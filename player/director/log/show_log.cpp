#include "player/director/log/show_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::director {
namespace {

constexpr std::uint64_t log_text_at = 4096;  // in memory, after the place of the head
constexpr std::uint64_t longest_log = std::uint64_t{256} << 20;
constexpr std::uint64_t most_waiting_bytes = std::uint64_t{32} << 20;
constexpr std::uint64_t released_bytes = std::uint64_t{64} << 10;  // at once
constexpr std::size_t copied_bytes = std::size_t{1} << 20;         // at once
constexpr std::chrono::milliseconds log_copy_interval{50};
constexpr std::chrono::seconds log_retry_interval{1};  // after the file could not be written
constexpr std::chrono::seconds log_sync_interval{1};
constexpr std::chrono::milliseconds log_end_limit{200};

/// Writes all bytes at that place, or throws JobError naming `what`.
void write_bytes_at(int fd, std::uint64_t offset, std::string_view bytes, const std::string& what) {
  while (!bytes.empty()) {
    const ssize_t put = retry_eintr(
        [&] { return ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (put <= 0) throw_errno(what, put == 0 ? ENOSPC : errno);
    bytes.remove_prefix(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
}

}  // namespace

// --- the memory

int ShowLogMemory::make() {
  UniqueFd fd(check_sys(::memfd_create("tilewall-show-log", MFD_CLOEXEC), "memfd_create"));
  check_sys(::ftruncate(fd.get(), log_text_at), "ftruncate");
  ShowLogMemory(fd.get()).write({});
  return fd.release();
}

/// The kernel copies so few bytes, within one page, whole or not at all when the writer is killed.
void ShowLogMemory::write(const Head& head) const {
  static_assert(std::is_trivially_copyable_v<Head>);
  char bytes[sizeof head];
  std::memcpy(bytes, &head, sizeof head);
  write_bytes_at(fd_, 0, {bytes, sizeof bytes}, "the show log's memory");
}

ShowLogMemory::Head ShowLogMemory::head() const {
  Head head;
  const ssize_t got = retry_eintr([&] { return ::pread(fd_, &head, sizeof head, 0); });
  return got == static_cast<ssize_t>(sizeof head) ? head : Head{};
}

std::string ShowLogMemory::text(std::uint64_t begin, std::size_t most_bytes) const {
  const std::uint64_t end = head().end;
  std::string text(std::min<std::uint64_t>(most_bytes, end - std::min(begin, end)), '\0');
  std::size_t read = 0;
  while (read < text.size()) {
    const ssize_t got = retry_eintr([&] {
      return ::pread(fd_, text.data() + read, text.size() - read,
                     static_cast<off_t>(log_text_at + begin + read));
    });
    if (got <= 0) break;
    read += static_cast<std::size_t>(got);
  }
  text.resize(read);
  return text;
}

void ShowLogMemory::append(std::string_view line) {
  Head now = head();
  write_bytes_at(fd_, log_text_at + now.end, line, "the show log's memory");
  now.end += line.size();
  write(now);
}

void ShowLogMemory::release(std::uint64_t begin) {
  Head now = head();
  now.begin = std::clamp(begin, now.begin, now.end);
  write(now);
  // Only whole pages go back.
  const std::uint64_t pages = now.begin / log_text_at * log_text_at;
  if (pages > 0)
    std::ignore = ::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                              static_cast<off_t>(log_text_at), static_cast<off_t>(pages));
}

void ShowLogMemory::set_start(GlobalInstant at) {
  Head now = head();
  now.start_ns = at.since_epoch.count();
  write(now);
}

void ShowLogMemory::set_replayed(std::uint64_t count) {
  Head now = head();
  now.replayed = count;
  write(now);
}

// --- the file

class ShowLog::Copy {
 public:
  Copy(int memory_fd, const std::filesystem::path& file)
      : state_(std::make_shared<State>(memory_fd, file)),
        thread_([state = state_](const std::stop_token& stop) { state->run(stop); }) {}
  ~Copy() {
    thread_.request_stop();
    // A disk that hangs holds the thread, but not the director.
    if (!state_->wait_until_done(log_end_limit)) thread_.detach();
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  /// Up to where the file has the log.
  [[nodiscard]] std::uint64_t copied() const { return state_->copied(); }
  /// Why the file cannot be written; "" where it can.
  [[nodiscard]] std::string trouble() const { return state_->trouble(); }

 private:
  /// What the thread works on. It outlives the owner where a disk holds the thread up.
  class State {
   public:
    State(int memory_fd, std::filesystem::path file) : memory_(memory_fd), path_(std::move(file)) {
      copied_ = memory_.head().begin;
    }

    void run(const std::stop_token& stop);
    [[nodiscard]] bool wait_until_done(std::chrono::milliseconds limit);
    [[nodiscard]] std::uint64_t copied() const { return copied_.load(std::memory_order_acquire); }
    [[nodiscard]] std::string trouble() const {
      const std::scoped_lock lock(mutex_);
      return trouble_;
    }

   private:
    [[nodiscard]] bool copy();
    void open();

    const ShowLogMemory memory_;
    const std::filesystem::path path_;
    UniqueFd file_;  // of the thread
    // Written by the thread after the bytes, and read by the owner, which releases their memory.
    std::atomic<std::uint64_t> copied_ = 0;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    bool is_done_ = false;  // guarded by mutex_; the thread has copied the rest
    std::string trouble_;   // guarded by mutex_
  };

  const std::shared_ptr<State> state_;
  std::jthread thread_;
};

bool ShowLog::Copy::State::wait_until_done(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return is_done_; });
}

void ShowLog::Copy::State::run(const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  auto next_copy = Clock::now();
  auto next_sync = Clock::now() + log_sync_interval;
  std::uint64_t synced = copied();
  for (bool last = false; !last;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, log_copy_interval, [] { return false; });
    }
    last = stop.stop_requested();
    const auto now = Clock::now();
    if (now >= next_copy || last) next_copy = copy() ? now : now + log_retry_interval;
    if ((now < next_sync && !last) || copied() == synced) continue;
    next_sync = now + log_sync_interval;
    synced = copied();
    std::ignore = ::fdatasync(file_.get());
  }
  const std::scoped_lock lock(mutex_);
  is_done_ = true;
  changed_.notify_all();
}

/// Brings the file up to date. Returns whether it is; a failure is kept as the trouble.
bool ShowLog::Copy::State::copy() {
  std::string trouble;
  try {
    if (file_.empty()) open();
    while (copied() < memory_.head().end) {
      const std::string text = memory_.text(copied(), copied_bytes);
      if (text.empty()) break;
      write_bytes_at(file_.get(), copied(), text, path_.string());
      copied_.store(copied() + text.size(), std::memory_order_release);
    }
  } catch (const std::exception& error) {
    trouble = error.what();
  }
  const std::scoped_lock lock(mutex_);
  trouble_ = std::move(trouble);
  return trouble_.empty();
}

/// Opens the file. It is emptied unless a part of the log is in the file alone.
void ShowLog::Copy::State::open() {
  const int empties = copied() == 0 ? O_TRUNC : 0;
  file_ = UniqueFd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | empties,
                          S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH));
  if (file_.empty()) throw_errno(path_.string(), errno);
}

// --- the log

ShowLog::ShowLog(int memory_fd, Place place)
    : memory_fd_(memory_fd), memory_(memory_fd), file_(std::move(place.file)) {
  if (memory_fd_ < 0) return;
  const ShowLogMemory::Head head = memory_.head();
  if (head.start_ns >= 0) start_ = GlobalInstant{Nanos(head.start_ns)};
  replayed_ = head.replayed;
  if (file_.empty()) return;
  if (head.end == 0) memory_.append(place.head + "\n");
  copy_ = std::make_unique<Copy>(memory_fd_, file_);
}

ShowLog::~ShowLog() = default;

nlohmann::json ShowLog::seconds_at(GlobalInstant at) const {
  constexpr double per_second = 1e6;
  if (!start_) return nullptr;
  return std::round(std::chrono::duration<double>(at - *start_).count() * per_second) / per_second;
}

void ShowLog::add(std::string_view name, const nlohmann::json& details, GlobalInstant at) {
  if (!is_on()) return;
  nlohmann::ordered_json line;
  line["at_s"] = seconds_at(at);
  line["at_ns"] = at.since_epoch.count();
  line["event"] = name;
  for (const auto& [field, value] : details.items())
    if (!line.contains(field) && field != "type") line[field] = value;
  const std::string text = json_text(line) + "\n";
  const ShowLogMemory::Head head = memory_.head();
  if (head.end + text.size() > longest_log) return end_with("256 MiB are written");
  if (head.end + text.size() - copy_->copied() > most_waiting_bytes)
    return end_with("the disk does not take it");
  try {
    memory_.append(text);
  } catch (const JobError& error) {  // the show goes on without its log
    end_with(error.what());
  }
}

void ShowLog::end_with(std::string reason) {
  ended_ = std::move(reason);
  copy_.reset();
}

void ShowLog::set_start(GlobalInstant at) {
  if (start_ || memory_fd_ < 0) return;
  start_ = at;
  memory_.set_start(at);
  add("start", nlohmann::json::object(), at);
}

void ShowLog::set_replayed(std::uint64_t count) {
  replayed_ = count;
  if (memory_fd_ >= 0) memory_.set_replayed(count);
}

void ShowLog::step() {
  if (is_on() && copy_->copied() >= memory_.head().begin + released_bytes)
    memory_.release(copy_->copied());
}

std::optional<std::string> ShowLog::news() {
  std::string trouble = is_on() ? copy_->trouble() : "";
  if (!ended_.empty()) trouble = fmt::format("{}: {}", file_.string(), ended_);
  if (trouble.empty() || trouble == told_) return std::nullopt;
  told_ = std::move(trouble);
  return fmt::format("the show log {}: {}", ended_.empty() ? "is not written" : "has ended", told_);
}

}  // namespace tilewall::director
