#include "player/movie/remote/sound_range.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <nlohmann/json.hpp>

#include "player/movie/remote/block_request.hpp"
#include "player/movie/remote/remote_movie.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {

bool asks_for_sound(std::span<const std::byte> bytes) noexcept {
  std::uint32_t magic = 0;
  if (bytes.size() < sizeof magic) return false;
  std::memcpy(&magic, bytes.data(), sizeof magic);
  return magic == sound_range_magic;
}

std::vector<std::byte> to_bytes(const SoundRange& range) {
  const SoundRangeHeader header{sound_range_magic,
                                range.size_bytes,
                                range.offset_bytes,
                                static_cast<std::uint16_t>(range.name.size()),
                                {}};
  std::vector<std::byte> bytes(sizeof header + range.name.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, range.name.data(), range.name.size());
  return bytes;
}

SoundRange parse_sound_range(std::span<const std::byte> bytes) {
  const auto refuse = [](const char* field, const char* expected) {
    throw InputError({"sound request"}, field, expected, "another value");
  };
  SoundRangeHeader header = {};
  if (bytes.size() < sizeof header) refuse("size", "a header of 24 bytes");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != sound_range_magic) refuse("magic", "TWSR");
  if (header.name_bytes == 0 || header.name_bytes > longest_movie_name)
    refuse("name_bytes", "1 to 255");
  if (bytes.size() != sizeof header + header.name_bytes)
    refuse("size", "as many bytes as the name has");
  if (header.size_bytes == 0 || header.size_bytes > largest_sound_range)
    refuse("size_bytes", "1 to 1048576");
  if (header.offset_bytes >= largest_sound_bytes) refuse("offset_bytes", "below 2^30");
  return {{reinterpret_cast<const char*>(bytes.data()) + sizeof header, header.name_bytes},
          header.offset_bytes,
          header.size_bytes};
}

namespace {

constexpr std::chrono::seconds sound_answer_limit{5};
constexpr Nanos longest_silence = std::chrono::seconds(20);   // between two ranges
constexpr Nanos look_again = std::chrono::milliseconds(100);  // between checks of the stop token
constexpr std::uint32_t range_bytes = 256 << 10;
constexpr std::size_t ranges_at_once = 2;  // few, so that blocks of pictures come first

UniqueFd nameless_file(const std::filesystem::path& folder) {
  std::string name = (folder / "sound-XXXXXX").string();
  UniqueFd fd(::mkostemp(name.data(), O_CLOEXEC));
  if (fd.empty()) throw JobError(fmt::format("{}: mkostemp: {}", name, std::strerror(errno)));
  ::unlink(name.c_str());
  return fd;
}

std::uint64_t sound_bytes(net::SlabClient& client, const net::RemoteUrl& url) {
  const auto answer = client.call({{"type", "open"}, {"name", url.name}}, sound_answer_limit);
  const std::uint64_t size = parse_open_answer(answer, url.name).sound_bytes;
  if (size == 0 || size > largest_sound_bytes)
    throw InputError({url.name}, "sound", fmt::format("1 to {} bytes", largest_sound_bytes),
                     std::to_string(size));
  return size;
}

void write_at(int fd, std::span<const std::byte> bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t done = retry_eintr(
        [&] { return ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at)); });
    if (done <= 0) throw JobError(fmt::format("sound: pwrite: {}", std::strerror(errno)));
    at += static_cast<std::uint64_t>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

/// A range that has been requested.
struct Asked {
  net::SlabClient::Ticket ticket = 0;
  SoundRange range;
};

Asked ask(net::SlabClient& client, const std::string& name, std::uint64_t at, std::uint64_t end) {
  SoundRange range{name, at,
                   static_cast<std::uint32_t>(std::min<std::uint64_t>(range_bytes, end - at))};
  return {client.fetch(to_bytes(range)), range};
}

}  // namespace

UniqueFd fetch_remote_sound(const std::string& url_text, const std::filesystem::path& folder,
                            const std::stop_token& stop) {
  const net::RemoteUrl url = net::parse_remote_url(url_text);
  const auto client = net::connect_remote(url);
  const std::uint64_t end = sound_bytes(*client, url);
  UniqueFd file = nameless_file(folder);
  std::deque<Asked> asked;
  std::uint64_t next = 0;
  LocalInstant heard = local_now();
  while (next < end || !asked.empty()) {
    if (stop.stop_requested()) return UniqueFd();
    for (; next < end && asked.size() < ranges_at_once; next += asked.back().range.size_bytes)
      asked.push_back(ask(*client, url.name, next, end));
    const std::uint64_t known = client->news();
    const auto slab = client->take(asked.front().ticket);
    if (!slab) {
      if (local_now() - heard > longest_silence)
        throw JobError(
            fmt::format("{}: sound: expected data from the server, found none for 20 s", url.name));
      client->wait_for_news(known, local_now() + look_again);
      continue;
    }
    heard = local_now();
    if (slab->size() != asked.front().range.size_bytes)
      throw JobError(fmt::format("{}: sound: expected {} bytes from the server, found {}", url.name,
                                 asked.front().range.size_bytes, slab->size()));
    write_at(file.get(), slab->bytes(), asked.front().range.offset_bytes);
    asked.pop_front();
  }
  return file;
}

}  // namespace tilewall::movie
