#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "net/slab/slab_client.hpp"
#include "player/bench/common.hpp"
#include "player/bench/content.hpp"
#include "player/bench/disk_reading.hpp"
#include "player/bench/net_load.hpp"
#include "player/bench/net_server.hpp"
#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/frame_writer.hpp"
#include "player/movie/remote/block_request.hpp"
#include "player/movie/remote/movie_server.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr SizePx served_movie_px{7680, 3200};  // a wall of three by two panels
constexpr SizePx served_panel_px{2560, 1600};
constexpr int different_frames = 3;  // distinct frames; the others are copies of these
constexpr int slabs_in_flight = 4;
constexpr int reading_threads = 4;  // a server has as many
constexpr std::size_t read_bytes = std::size_t{1} << 20;
constexpr const char* served_movie_name = "movie";

struct ServedMovie {
  fs::path folder;  // folder that the server exports
  std::vector<fs::path> frames;
  std::uint64_t file_bytes = 0;
  std::vector<std::vector<std::byte>> requests;  // requests for a frame's blocks in full resolution
  std::vector<std::uint64_t> hashes;             // hashes of the answers
  std::uint64_t slab_bytes = 0;                  // size of the first answer
};

movie::MovieManifest write_different_frames(const fs::path& folder) {
  fs::create_directories(folder);
  movie::MovieManifest movie;
  movie.size_px = served_movie_px;
  movie.quality = 85;
  movie.block_px = {640, 400};
  movie.levels = movie::pyramid_levels(movie.size_px, movie.block_px);
  movie.order = movie::BlockOrder::panels;
  movie.complete = true;
  movie::FrameWriter writer(movie, served_panel_px);
  movie::PlanarPicture picture = repeated(
      make_bench_picture(BenchContent::photographic, movie::Chroma::yuv420, served_panel_px),
      movie.size_px);
  for (int frame = 0; frame < different_frames; ++frame) {
    picture.planes[0].samples.front() = static_cast<std::uint8_t>(80 * frame);
    writer.write(picture, folder / movie::frame_file_name(frame));
  }
  return movie;
}

ServedMovie write_served_movie(const fs::path& folder, int mib) {
  const fs::path at = folder / served_movie_name;
  movie::MovieManifest manifest = write_different_frames(at);
  ServedMovie movie;
  movie.folder = folder;
  const std::uint64_t frame_bytes = fs::file_size(at / movie::frame_file_name(0));
  const auto frames = static_cast<int>((std::uint64_t(mib) << 20) / frame_bytes) + different_frames;
  manifest.frames = frames;
  movie::save_manifest(at, manifest);
  std::vector<int> blocks(static_cast<std::size_t>(movie::block_grid(manifest, 0).count()));
  std::iota(blocks.begin(), blocks.end(), 0);
  for (int frame = 0; frame < frames; ++frame) {
    movie.frames.push_back(at / movie::frame_file_name(frame));
    if (frame >= different_frames)
      fs::copy_file(at / movie::frame_file_name(frame % different_frames), movie.frames.back());
    movie.file_bytes += fs::file_size(movie.frames.back());
    movie.requests.push_back(
        movie::to_bytes(movie::BlockRequest{served_movie_name, 0, frame, blocks}));
  }
  ::sync();  // pages that are not on the disk yet cannot be dropped
  return movie;
}

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

void note_hashes(ServedMovie& movie) {
  movie::MovieServer server({movie.folder});
  for (std::size_t frame = 0; frame < different_frames; ++frame) {
    const auto slab = server.read(movie.requests[frame]);
    movie.hashes.push_back(hash_of(slab->bytes()));
    if (frame == 0) movie.slab_bytes = slab->size();
  }
}

/// Reads the whole files one after the other, with as many threads as a server has for it.
double read_files_gbit_s(const ServedMovie& movie) {
  // Index of the next file; relaxed, as it publishes no other memory.
  std::atomic<std::size_t> next = 0;
  const LocalInstant start = local_now();
  {
    std::vector<std::jthread> threads;
    threads.reserve(reading_threads);
    for (int i = 0; i < reading_threads; ++i)
      threads.emplace_back([&] {
        std::vector<std::byte> memory(read_bytes);
        for (std::size_t i = next++; i < movie.frames.size(); i = next++) {
          const UniqueFd file(::open(movie.frames[i].c_str(), O_RDONLY | O_CLOEXEC));
          while (::read(file.get(), memory.data(), memory.size()) > 0) continue;
        }
      });
  }
  return static_cast<double>(movie.file_bytes) * 8 / as_double(local_now() - start);
}

struct Pass {
  double gbit_s = 0;
  std::uint64_t wrong_slabs = 0;
};

/// Fetches a slab for each of the requests, a few at a time. Measures from the first request to the
/// last check.
Pass fetch_all(net::SlabClient& client, const std::vector<std::vector<std::byte>>& requests,
               const std::function<bool(std::size_t, std::span<const std::byte>)>& is_right) {
  struct Asked {
    std::size_t request;
    net::SlabClient::Ticket ticket;
  };
  std::deque<Asked> asked;
  std::size_t next = 0;
  Pass pass;
  std::uint64_t bytes = 0;
  const LocalInstant start = local_now();
  const LocalInstant give_up = start + Nanos(std::chrono::minutes(2));
  while (next < requests.size() || !asked.empty()) {
    for (; next < requests.size() && asked.size() < slabs_in_flight; ++next)
      asked.push_back({next, client.fetch(requests[next])});
    const std::uint64_t known = client.news();
    auto slab = client.take(asked.front().ticket);
    if (!slab) {
      if (local_now() > give_up) throw JobError("bench net: a slab never came");
      client.wait_for_news(known, local_now() + std::chrono::milliseconds(1));
      continue;
    }
    bytes += slab->size();
    if (!is_right(asked.front().request, slab->bytes())) ++pass.wrong_slabs;
    asked.pop_front();
    client.give_back(std::move(*slab));
  }
  pass.gbit_s = static_cast<double>(bytes) * 8 / as_double(local_now() - start);
  return pass;
}

net::SlabClientOptions client_of(const NetServer& server, const NetServerOptions& options) {
  net::SlabClientOptions client;
  client.servers = {server.address()};
  client.session.key = options.key;
  client.keep_bytes = std::size_t{256} << 20;
  return client;
}

enum class PageCache { warm, cold };

void prepare(const ServedMovie& movie, PageCache cache) {
  if (cache == PageCache::cold)
    for (const fs::path& frame : movie.frames) drop_from_page_cache(frame);
  else
    static_cast<void>(read_files_gbit_s(movie));
}

Pass from_disk(const NetServerOptions& options, const ServedMovie& movie, PageCache cache) {
  NetServer server(options, [&] {
    return std::make_unique<movie::MovieServer>(std::vector<fs::path>{movie.folder});
  });
  net::SlabClient client(client_of(server, options));
  const std::vector<std::vector<std::byte>> few(movie.requests.begin(),
                                                movie.requests.begin() + slabs_in_flight);
  const auto is_right = [&](std::size_t i, std::span<const std::byte> bytes) {
    return hash_of(bytes) == movie.hashes[i % different_frames];
  };
  // Warms up, because the slabs' memory is new.
  static_cast<void>(fetch_all(client, few, is_right));
  prepare(movie, cache);
  return fetch_all(client, movie.requests, is_right);
}

double from_memory_gbit_s(const NetServerOptions& options, const ServedMovie& movie) {
  NetServer server(options, [&] {
    return std::make_unique<MemorySource>(static_cast<std::size_t>(movie.slab_bytes));
  });
  net::SlabClient client(client_of(server, options));
  std::uint64_t hashes = 0;  // hashed so that this run has the same CPU work as the checks
  const auto look = [&](std::size_t, std::span<const std::byte> bytes) {
    hashes ^= hash_of(bytes);
    return true;
  };
  const std::vector<std::vector<std::byte>> few(slabs_in_flight);
  static_cast<void>(fetch_all(client, few, look));
  const std::vector<std::vector<std::byte>> all(movie.requests.size());
  return fetch_all(client, all, look).gbit_s;
}

}  // namespace

Json measure_disk_over_net(const NetServerOptions& options, const fs::path& folder, int mib,
                           int runs) {
  const ScratchFolder scratch(folder);
  ServedMovie movie = write_served_movie(scratch.path(), mib);
  note_hashes(movie);
  Json rows = Json::array();
  for (const PageCache cache : {PageCache::cold, PageCache::warm}) {
    std::vector<double> whole, disk, net;
    std::uint64_t wrong = 0;
    for (int run = 0; run < runs; ++run) {
      prepare(movie, cache);
      disk.push_back(read_files_gbit_s(movie));
      net.push_back(from_memory_gbit_s(options, movie));
      const Pass pass = from_disk(options, movie, cache);
      whole.push_back(pass.gbit_s);
      wrong += pass.wrong_slabs;
    }
    rows.push_back({{"cache", cache == PageCache::cold ? "cold" : "warm"},
                    {"goodput_gbit_s", median(whole)},
                    {"disk_gbit_s", median(disk)},
                    {"net_gbit_s", median(net)},
                    {"ratio_to_lesser", median(whole) / std::min(median(disk), median(net))},
                    {"wrong_slabs", wrong},
                    {"slab_bytes", movie.slab_bytes},
                    {"slabs", movie.requests.size()}});
  }
  return rows;
}

}  // namespace tilewall::bench
