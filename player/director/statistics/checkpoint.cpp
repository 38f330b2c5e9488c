#include "player/director/statistics/checkpoint.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sync/base/check.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

struct Header {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  std::uint64_t sum = 0;  // XXH3-64 of the bytes
};
constexpr std::uint64_t place_bytes = std::uint64_t{1} << 30;  // memory is used only where written
constexpr std::uint64_t places = 2;

constexpr std::chrono::seconds checkpoint_interval{1};
constexpr std::chrono::milliseconds long_turn{6};

std::uint64_t place_of(std::uint64_t number) { return number % places * place_bytes; }

/// Reads as many bytes as there are.
std::size_t read_at(int fd, void* to, std::size_t bytes, std::uint64_t offset) {
  std::size_t read = 0;
  while (read < bytes) {
    const ssize_t got = retry_eintr([&] {
      return ::pread(fd, static_cast<char*>(to) + read, bytes - read,
                     static_cast<off_t>(offset + read));
    });
    if (got <= 0) break;
    read += static_cast<std::size_t>(got);
  }
  return read;
}

void write_at(int fd, const void* from, std::size_t bytes, std::uint64_t offset) {
  std::size_t written = 0;
  while (written < bytes) {
    const ssize_t put = retry_eintr([&] {
      return ::pwrite(fd, static_cast<const char*>(from) + written, bytes - written,
                      static_cast<off_t>(offset + written));
    });
    if (put <= 0) throw_errno("the checkpoint's memory", errno);
    written += static_cast<std::size_t>(put);
  }
}

int make_memory(const char* name) {
  return check_sys(::memfd_create(name, MFD_CLOEXEC), "memfd_create");
}

}  // namespace

int CheckpointMemory::make() { return make_memory("tilewall-checkpoint"); }

CheckpointMemory::CheckpointMemory(int fd) : fd_(fd) {
  for (std::uint64_t place = 0; place < places; ++place) {
    Header header;
    if (read_at(fd_, &header, sizeof header, place * place_bytes) != sizeof header) continue;
    if (header.number <= number_ || header.bytes > place_bytes - sizeof header) continue;
    std::vector<std::uint8_t> bytes(header.bytes);
    if (read_at(fd_, bytes.data(), bytes.size(), place * place_bytes + sizeof header) !=
            bytes.size() ||
        XXH3_64bits(bytes.data(), bytes.size()) != header.sum)
      continue;
    number_ = header.number;
    newest_ = Json::from_cbor(bytes, true, false);
  }
}

void CheckpointMemory::write(const Json& state) {
  const std::vector<std::uint8_t> bytes = Json::to_cbor(state);
  const std::uint64_t at = place_of(++number_);
  const Header nothing;
  write_at(fd_, &nothing, sizeof nothing, at);
  write_at(fd_, bytes.data(), bytes.size(), at + sizeof(Header));
  const Header header{number_, bytes.size(), XXH3_64bits(bytes.data(), bytes.size())};
  write_at(fd_, &header, sizeof header, at);
}

int HashMemory::make() { return make_memory("tilewall-hashes"); }

std::vector<HashMemory::Shown> HashMemory::all() {
  static_assert(std::is_trivially_copyable_v<Shown>);
  struct stat status = {};
  check_sys(::fstat(fd_, &status), "fstat of the hashes' memory");
  std::vector<Shown> all(static_cast<std::size_t>(status.st_size) / sizeof(Shown));
  const std::size_t read = read_at(fd_, all.data(), all.size() * sizeof(Shown), 0);
  all.resize(read / sizeof(Shown));
  // The last director may have died in the middle of a frame.
  check_sys(::ftruncate(fd_, static_cast<off_t>(all.size() * sizeof(Shown))), "ftruncate");
  std::map<std::uint64_t, std::int64_t> newest_ns;  // by panel
  std::erase_if(all, [&](const Shown& shown) {
    const auto [newest, is_first] = newest_ns.try_emplace(shown.panel, shown.frame.stamp_ns);
    if (!is_first && shown.frame.stamp_ns <= newest->second) return true;
    newest->second = shown.frame.stamp_ns;
    return false;
  });
  return all;
}

void HashMemory::add(const Shown& shown) {
  struct stat status = {};
  check_sys(::fstat(fd_, &status), "fstat of the hashes' memory");
  write_at(fd_, &shown, sizeof shown, static_cast<std::uint64_t>(status.st_size));
}

void CheckpointTurns::step(std::chrono::steady_clock::time_point now, Nanos turn_time,
                           bool may_begin) {
  if (turn_time > long_turn && now < next_ + checkpoint_interval) return;
  if (!unwritten_.is_null()) {
    written_ = std::exchange(unwritten_, nullptr);
    return steps_.write(written_);
  }
  if (!written_.is_null()) {
    written_ = nullptr;
    return;
  }
  if (!may_begin || now < next_) return;
  next_ = now + checkpoint_interval;
  unwritten_ = steps_.make();
}

}  // namespace tilewall::director
