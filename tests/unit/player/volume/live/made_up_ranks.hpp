// A live source whose ranks are made up: they answer what the wall's view of the source asks.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "player/volume/live/live_assembly.hpp"

namespace tilewall::volume::made_up {

using namespace tilewall::net;

using Kind = RankOrder::Kind;

inline constexpr std::array<std::uint32_t, 3> grid = {8, 8, 8};

inline LocalInstant at_ms(std::int64_t ms) { return LocalInstant{Nanos(ms * 1'000'000)}; }

inline LiveDescription describe(std::uint32_t rank, std::uint32_t ranks,
                                const std::string& run = "0000000000000001") {
  LiveDescription description;
  description.name = "sim";
  description.rank = rank;
  description.ranks = ranks;
  description.run = run;
  description.grid = grid;
  description.fields = {{"u", LiveType::u8, ""}};
  return description;
}

/// A rank with layers of the grid along z, all of whose voxels are the timestep's number.
struct FakeRank {
  std::uint32_t rank = 0;
  LiveConnection connection = 0;
  LiveBox box;
  std::vector<LiveRequest> asked;
  std::optional<std::uint64_t> reached;
  std::optional<std::uint64_t> wants;

  [[nodiscard]] std::vector<std::byte> answer(const LiveRequest& request) const {
    std::vector<std::byte> body(request.bytes, std::byte(request.timestep));
    if (request.kind == static_cast<std::uint8_t>(LiveRequestKind::head))
      body = to_bytes(
          LiveHeadInfo{static_cast<double>(request.timestep), {{box, LiveType::u8, 0, 0, 1}}});
    const bool has_planes =
        request.kind == static_cast<std::uint8_t>(LiveRequestKind::head) ||
        (request.plane_end <= box.side(2) &&
         request.bytes == box.side(0) * box.side(1) * (request.plane_end - request.plane_begin));
    if (!has_planes) body.clear();
    const LiveAnswerHeader header =
        live_answer_header(has_planes ? LiveAnswerStatus::found : LiveAnswerStatus::changed,
                           request.timestep, body.size());
    std::vector<std::byte> bytes(sizeof header + body.size());
    std::memcpy(bytes.data(), &header, sizeof header);
    std::ranges::copy(body, bytes.begin() + sizeof header);
    return bytes;
  }
};

inline std::vector<std::byte> status_answer(LiveAnswerStatus status, std::uint64_t timestep,
                                            const std::string& line = "") {
  const LiveAnswerHeader header = live_answer_header(status, timestep, line.size());
  std::vector<std::byte> bytes(sizeof header + line.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, line.data(), line.size());
  return bytes;
}

/// A source and its ranks; carries out the orders.
struct Simulation {
  explicit Simulation(std::uint32_t count, LiveAssemblyOptions options = {})
      : source(std::move(options)) {
    for (std::uint32_t rank = 0; rank < count; ++rank) {
      const std::uint32_t layers = grid[2] / count;
      ranks.push_back({rank,
                       rank + 1,
                       {{0, 0, rank * layers}, {grid[0], grid[1], (rank + 1) * layers}},
                       {},
                       {},
                       {}});
    }
  }

  void join_all() {
    for (const FakeRank& rank : ranks) join(rank);
    carry_out();
  }
  void join(const FakeRank& rank, const std::string& run = "0000000000000001") {
    source.describe(rank.connection, volume_description(rank.rank, run), now);
  }
  [[nodiscard]] LiveDescription volume_description(std::uint32_t rank,
                                                   const std::string& run) const {
    return made_up::describe(rank, static_cast<std::uint32_t>(ranks.size()), run);
  }

  void carry_out() {
    for (const RankOrder& order : source.take_orders()) {
      FakeRank* const rank = of(order.connection);
      if (order.kind == Kind::drop) dropped.push_back(order.connection);
      if (order.kind == Kind::tell) told.push_back(order.why);
      if (rank == nullptr) continue;
      if (order.kind == Kind::fetch) rank->asked.push_back(order.request);
      if (order.kind == Kind::want) rank->wants = source.wanted().timestep;
      if (order.kind == Kind::cancel)
        std::erase_if(rank->asked, [&](const LiveRequest& request) {
          return request.timestep == order.request.timestep;
        });
    }
  }

  FakeRank* of(LiveConnection connection) {
    const auto found = std::ranges::find(ranks, connection, &FakeRank::connection);
    return found == ranks.end() ? nullptr : &*found;
  }

  /// The rank ends the timestep, and answers what it was asked for, the newest question first.
  void reach(FakeRank& rank, std::uint64_t timestep) {
    rank.reached = timestep;
    source.take_reached(rank.connection, {timestep, 0}, now);
    carry_out();
    give(rank);
  }
  void give(FakeRank& rank) {
    for (;;) {
      const auto next = std::find_if(
          rank.asked.rbegin(), rank.asked.rend(),
          [&](const LiveRequest& request) { return request.timestep <= *rank.reached; });
      if (next == rank.asked.rend()) return;
      const LiveRequest request = *next;
      rank.asked.erase(std::next(next).base());
      source.take_answer(rank.connection, request, rank.answer(request), now);
      carry_out();
    }
  }

  LiveAssembly source;
  std::vector<FakeRank> ranks;
  std::vector<LiveConnection> dropped;
  std::vector<std::string> told;
  LocalInstant now = at_ms(0);
};

inline bool all_are(const render::VoxelArray& voxels, std::uint64_t value) {
  return std::ranges::all_of(voxels.voxels<std::uint8_t>(),
                             [&](std::uint8_t voxel) { return voxel == value; });
}

}  // namespace tilewall::volume::made_up
