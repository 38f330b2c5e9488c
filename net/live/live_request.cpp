#include "net/live/live_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sync/base/error.hpp"

namespace tilewall::net {
namespace {

constexpr std::uint64_t usual_answer_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t most_requests_of_block = 1024;  // where planes are small enough

[[noreturn]] void refuse(const char* what, const char* field, const std::string& expected,
                         const std::string& found) {
  throw InputError({what}, field, expected, found);
}

std::string text_of(const LiveBox& box) {
  return fmt::format("[{}, {}, {}] to [{}, {}, {}]", box.begin[0], box.begin[1], box.begin[2],
                     box.end[0], box.end[1], box.end[2]);
}

/// Throws where two blocks have a voxel in common. Blocks are compared along z in order, so that
/// thousands of separate ones take no square of their number.
void expect_apart(const std::vector<LiveBlockInfo>& blocks) {
  std::vector<const LiveBox*> boxes;
  boxes.reserve(blocks.size());
  for (const LiveBlockInfo& block : blocks) boxes.push_back(&block.box);
  std::ranges::sort(boxes, {}, [](const LiveBox* box) { return box->begin[2]; });
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t k = i + 1; k < boxes.size() && boxes[k]->begin[2] < boxes[i]->end[2]; ++k)
      if (overlap(*boxes[i], *boxes[k]))
        refuse("head", "blocks", "blocks that do not overlap",
               text_of(*boxes[i]) + " and " + text_of(*boxes[k]));
}

LiveBlockInfo parse_block(const LiveBlock& wire, const std::array<std::uint32_t, 3>& grid) {
  LiveBlockInfo block;
  std::ranges::copy(wire.begin, block.box.begin.begin());
  std::ranges::copy(wire.end, block.box.end.begin());
  if (wire.type > static_cast<std::uint32_t>(LiveType::f32))
    refuse("head", "type", "0 to 2", std::to_string(wire.type));
  block.type = static_cast<LiveType>(wire.type);
  if (const std::string fault = fault_of(block.box, grid, block.type); !fault.empty())
    throw InputError("head: " + fault);
  if (!std::isfinite(wire.least) || !std::isfinite(wire.greatest) || wire.least > wire.greatest)
    refuse("head", "least, greatest", "a range of finite values",
           fmt::format("{} to {}", wire.least, wire.greatest));
  block.not_shown = wire.not_shown;
  block.least = wire.least;
  block.greatest = wire.greatest;
  return block;
}

}  // namespace

bool overlap(const LiveBox& a, const LiveBox& b) noexcept {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (a.end[axis] <= b.begin[axis] || b.end[axis] <= a.begin[axis]) return false;
  return true;
}

LiveRequest live_head_request(std::uint16_t field, std::uint64_t timestep) noexcept {
  return {live_request_magic,
          static_cast<std::uint8_t>(LiveRequestKind::head),
          0,
          field,
          timestep,
          0,
          0,
          0,
          0};
}

std::vector<LiveRequest> live_voxel_requests(std::uint16_t field, std::uint64_t timestep,
                                             std::uint32_t block, const LiveBox& box,
                                             LiveType type) {
  const std::uint64_t plane_bytes = std::uint64_t{box.side(0)} * box.side(1) * bytes_of(type);
  // Small answers leave little work for when the last one has come. Large blocks have larger ones,
  // so that a session has room for its requests.
  const std::uint64_t answer_bytes =
      std::clamp<std::uint64_t>(plane_bytes * box.side(2) / most_requests_of_block,
                                usual_answer_bytes, largest_live_body_bytes);
  const auto planes = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      answer_bytes / std::max<std::uint64_t>(plane_bytes, 1), 1, box.side(2)));
  std::vector<LiveRequest> requests;
  for (std::uint32_t plane = 0; plane < box.side(2); plane += planes) {
    const std::uint32_t end = std::min(plane + planes, box.side(2));
    requests.push_back({live_request_magic, static_cast<std::uint8_t>(LiveRequestKind::voxels), 0,
                        field, timestep, block, plane, end,
                        static_cast<std::uint32_t>((end - plane) * plane_bytes)});
  }
  return requests;
}

std::span<const std::byte, sizeof(LiveRequest)> bytes_of(const LiveRequest& request) noexcept {
  return std::as_bytes(std::span<const LiveRequest, 1>(&request, 1));
}

LiveRequest parse_live_request(std::span<const std::byte> bytes) {
  const char* const what = "live request";
  LiveRequest request = {};
  if (bytes.size() != sizeof request)
    refuse(what, "size", "32 bytes", std::to_string(bytes.size()));
  std::memcpy(&request, bytes.data(), sizeof request);
  if (request.magic != live_request_magic) refuse(what, "magic", "TWLR", "another value");
  if (request.reserved != 0) refuse(what, "reserved", "0", std::to_string(request.reserved));
  if (request.field >= most_live_fields)
    refuse(what, "field", "0 to 63", std::to_string(request.field));
  if (request.block >= most_live_blocks)
    refuse(what, "block", "0 to 4095", std::to_string(request.block));
  switch (static_cast<LiveRequestKind>(request.kind)) {
    case LiveRequestKind::head:
      if (request.block != 0 || request.plane_begin != 0 || request.plane_end != 0 ||
          request.bytes != 0)
        refuse(what, "block, planes, bytes", "0 in a head's request", "another value");
      return request;
    case LiveRequestKind::voxels:
      if (request.plane_begin >= request.plane_end || request.plane_end > largest_live_side)
        refuse(what, "planes", "at least one, up to 8192",
               fmt::format("{} to {}", request.plane_begin, request.plane_end));
      if (request.bytes == 0 || request.bytes > largest_live_body_bytes)
        refuse(what, "bytes", "1 to 8388608", std::to_string(request.bytes));
      return request;
  }
  refuse(what, "kind", "1 or 2", std::to_string(request.kind));
}

std::string fault_of(const LiveBox& box, const std::array<std::uint32_t, 3>& grid, LiveType type) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (box.begin[axis] >= box.end[axis] || box.end[axis] > grid[axis])
      return fmt::format("box: expected voxels within the grid of {} x {} x {}, found {}", grid[0],
                         grid[1], grid[2], text_of(box));
  const std::uint64_t plane_bytes = std::uint64_t{box.side(0)} * box.side(1) * bytes_of(type);
  if (plane_bytes > largest_live_body_bytes)
    return fmt::format("box: expected at most 8388608 bytes a plane, found {}", plane_bytes);
  return "";
}

std::vector<std::byte> to_bytes(const LiveHeadInfo& head) {
  std::vector<std::byte> bytes(sizeof(LiveHead) + head.blocks.size() * sizeof(LiveBlock));
  const LiveHead first{head.time, static_cast<std::uint32_t>(head.blocks.size()), 0};
  std::memcpy(bytes.data(), &first, sizeof first);
  std::byte* to = bytes.data() + sizeof first;
  for (const LiveBlockInfo& block : head.blocks) {
    LiveBlock wire = {};
    std::ranges::copy(block.box.begin, wire.begin);
    std::ranges::copy(block.box.end, wire.end);
    wire.type = static_cast<std::uint32_t>(block.type);
    wire.not_shown = block.not_shown;
    wire.least = block.least;
    wire.greatest = block.greatest;
    std::memcpy(to, &wire, sizeof wire);
    to += sizeof wire;
  }
  return bytes;
}

LiveHeadInfo parse_live_head(std::span<const std::byte> body,
                             const std::array<std::uint32_t, 3>& grid) {
  LiveHead first = {};
  if (body.size() < sizeof first)
    refuse("head", "size", "16 bytes and more", std::to_string(body.size()));
  std::memcpy(&first, body.data(), sizeof first);
  if (!std::isfinite(first.time)) refuse("head", "time", "a finite number", "another value");
  if (first.blocks > most_live_blocks)
    refuse("head", "blocks", "4096 at most", std::to_string(first.blocks));
  if (first.reserved != 0) refuse("head", "reserved", "0", std::to_string(first.reserved));
  if (body.size() != sizeof first + first.blocks * sizeof(LiveBlock))
    refuse("head", "size", std::to_string(sizeof first + first.blocks * sizeof(LiveBlock)),
           std::to_string(body.size()));
  LiveHeadInfo head;
  head.time = first.time;
  for (std::uint32_t i = 0; i < first.blocks; ++i) {
    LiveBlock wire = {};
    std::memcpy(&wire, body.data() + sizeof first + i * sizeof wire, sizeof wire);
    head.blocks.push_back(parse_block(wire, grid));
  }
  expect_apart(head.blocks);
  return head;
}

LiveAnswer parse_live_answer(std::span<const std::byte> bytes, const LiveRequest& request) {
  LiveAnswer answer;
  LiveAnswerHeader header = {};
  if (bytes.size() < sizeof header) {
    answer.line = "the rank refused the request";
    return answer;
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto body = bytes.subspan(sizeof header);
  const bool is_answer = header.magic == live_answer_magic &&
                         header.status <= static_cast<std::uint32_t>(LiveAnswerStatus::closed) &&
                         header.timestep == request.timestep && header.body_bytes == body.size();
  const auto status = static_cast<LiveAnswerStatus>(header.status);
  const bool has_planes = status != LiveAnswerStatus::found ||
                          request.kind != static_cast<std::uint8_t>(LiveRequestKind::voxels) ||
                          body.size() == request.bytes;
  if (!is_answer || !has_planes) {
    answer.line = "the rank's answer is malformed";
    return answer;
  }
  answer.status = status;
  if (status == LiveAnswerStatus::found) answer.body = body;
  if (status == LiveAnswerStatus::failed) {
    answer.line.assign(reinterpret_cast<const char*>(body.data()),
                       std::min(body.size(), longest_live_line));
    std::ranges::replace_if(
        answer.line, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  }
  return answer;
}

LiveAnswerHeader live_answer_header(LiveAnswerStatus status, std::uint64_t timestep,
                                    std::uint64_t body_bytes) noexcept {
  return {live_answer_magic, static_cast<std::uint32_t>(status), timestep, body_bytes};
}

}  // namespace tilewall::net
