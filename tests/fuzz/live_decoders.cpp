// What walls and the ranks of a live source say to each other.

#include <cmath>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "net/live/live_messages.hpp"
#include "net/live/live_request.hpp"
#include "net/slab/slab_outbox.hpp"
#include "net/source/live_source.hpp"
#include "sync/base/check.hpp"
#include "sync/base/json_text.hpp"
#include "tests/fuzz/decoder.hpp"

namespace tilewall::fuzz {

using namespace net;
namespace {

using Json = nlohmann::json;

constexpr std::array<std::uint32_t, 3> live_grid = {9, 7, 5};

Bytes live_text(const Json& json) { return bytes_of(json.dump()); }

LiveDescription live_description() {
  LiveDescription description;
  description.name = "gs";
  description.rank = 1;
  description.ranks = 4;
  description.run = "0123456789abcdef";
  description.grid = live_grid;
  description.fields = {{"u", LiveType::f32, "K"}, {"v", LiveType::u8, ""}};
  description.reached = 41;
  return description;
}

/// Values that were read are written and read again.
template <typename Read>
void read_twice(const Json& json, const Read& read) {
  refusing([&] {
    const auto value = read(json);
    TW_CHECK(to_json(read(to_json(value))) == to_json(value));
  });
}

void decode_live_message(std::span<const std::byte> input) {
  const Json json = json_of(input);
  read_twice(json, live_description_from_json);
  read_twice(json, live_want_from_json);
  read_twice(json, live_reached_from_json);
}

void decode_offer(std::span<const std::byte> input) {
  refusing([&] {
    const LiveOffer offer = parse_live_offer(text_of(input));
    TW_CHECK(offer.rank < offer.ranks && parse_live_offer(to_text(offer)) == offer);
  });
}

void decode_head(std::span<const std::byte> input) {
  refusing([&] {
    const LiveHeadInfo head = parse_live_head(input, live_grid);
    TW_CHECK(std::isfinite(head.time));
    std::uint64_t voxels = 0;
    for (const LiveBlockInfo& block : head.blocks) {
      TW_CHECK(fault_of(block.box, live_grid, block.type).empty() && block.least <= block.greatest);
      voxels += block.box.voxels();
    }
    TW_CHECK(voxels <= std::uint64_t{live_grid[0]} * live_grid[1] * live_grid[2]);  // none overlaps
    TW_CHECK(parse_live_head(to_bytes(head), live_grid).blocks.size() == head.blocks.size());
  });
}

/// A request, and behind it the bytes of an answer.
void decode_live_answer(std::span<const std::byte> input) {
  if (input.size() < sizeof(LiveRequest)) return;
  refusing([&] {
    const LiveRequest request = parse_live_request(input.first(sizeof(LiveRequest)));
    const LiveAnswer answer = parse_live_answer(input.subspan(sizeof request), request);
    TW_CHECK(answer.body.size() <= input.size() && answer.line.size() <= longest_live_line);
    TW_CHECK(answer.status == LiveAnswerStatus::found || answer.body.empty());
  });
}

/// A rank is asked whatever a wall may ask.
void decode_live_question(std::span<const std::byte> input) {
  LiveSourceOptions options;
  options.description = live_description();
  LiveSource source(options);
  const Json question = json_of(input);
  refusing([&] { static_cast<void>(source.call_from(1, question)); });
  TW_CHECK(source.refused().size() <= 2 * longest_live_line);
  TW_CHECK(source.skipped().line.size() <= 2 * longest_live_line);
}

/// A rank that holds timestep 1 of two fields answers whatever is asked for.
void decode_live_request(std::span<const std::byte> input) {
  LiveSourceOptions options;
  options.description = live_description();
  options.description.fields.clear();
  LiveSource source(options);
  const std::vector<float> values(std::size_t{live_grid[0]} * live_grid[1] * live_grid[2], 1);
  const ArrayShape shape{{}, {live_grid[0], live_grid[1], live_grid[2]}, {}, {}, {}};
  static_cast<void>(source.call_from(1, to_json(LiveWant{"u", 1, LivePolicy::newest, 0, 1, {}})));
  for (int step = 0; step < 2; ++step) {
    source.put("v", shape, PutType::f32, values.data());
    source.put("u", shape, PutType::f32, values.data());
    source.end_step(step);
  }
  const auto outbox = std::make_shared<SlabOutbox>();
  const std::shared_ptr<const void> wanted = std::make_shared<int>(0);
  refusing([&] { source.answer({input.begin(), input.end()}, SlabReply(outbox, 1, 1, wanted)); });
  source.end_step(2);
}

std::vector<Bytes> live_requests() {
  const LiveBox box{{0, 0, 0}, live_grid};
  std::vector<Bytes> all;
  for (const std::uint64_t timestep : {1U, 2U}) {
    all.push_back(joined(live_head_request(1, timestep)));
    all.push_back(joined(live_voxel_requests(1, timestep, 0, box, LiveType::f32).front()));
  }
  return all;
}

std::vector<Bytes> live_answers() {
  const LiveRequest request =
      live_voxel_requests(0, 3, 0, {{0, 0, 0}, {2, 2, 2}}, LiveType::u8).front();
  const std::array<std::byte, 8> planes{};
  return {joined(request, live_answer_header(LiveAnswerStatus::found, 3, planes.size()), planes),
          joined(request, live_answer_header(LiveAnswerStatus::passed, 3, 0)),
          joined(request, live_answer_header(LiveAnswerStatus::failed, 3, planes.size()), planes)};
}

}  // namespace

std::vector<Decoder> live_decoders() {
  const LiveHeadInfo head{0.5,
                          {{{{0, 0, 0}, {9, 7, 2}}, LiveType::f32, 0, -1, 2},
                           {{{0, 0, 2}, {9, 7, 5}}, LiveType::u8, 3, 0, 255}}};
  LiveWant want{"u", 12, LivePolicy::nth, 2, 10, std::array<double, 2>{0, 1}};
  return {{"live_message",
           {live_text(to_json(live_description())), live_text(to_json(want)),
            live_text(to_json(LiveReached{7, 0.25}))},
           decode_live_message,
           true},
          {"live_question",
           {live_text({{"type", "describe"}}), live_text(to_json(want)),
            live_text({{"type", "refused"}, {"line", "another grid"}}),
            live_text({{"type", "skipped"}, {"line", "timestep 3 of field u: a gap"}})},
           decode_live_question,
           true},
          {"live_offer", {bytes_of("live gs 3 16")}, decode_offer},
          {"live_head", {to_bytes(head), to_bytes({1, {}})}, decode_head},
          {"live_answer", live_answers(), decode_live_answer},
          {"live_request", live_requests(), decode_live_request}};
}

}  // namespace tilewall::fuzz
