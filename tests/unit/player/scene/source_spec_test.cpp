#include "player/scene/source_spec.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::scene;
using Json = nlohmann::json;

namespace {

SourcePtr movie(const std::string& path) {
  SourceSpec source;
  source.kind = SourceKind::movie;
  source.path = path;
  source.size_px = {64, 48};
  source.frames = 10;
  return std::make_shared<const SourceSpec>(source);
}

}  // namespace

TEST_CASE("a playlist survives its JSON, and its items go on sharing movies", "[scene]") {
  const SourcePtr a = movie("/a");
  SourceSpec list = make_playlist({{a, 0, 10}, {movie("/b"), 2, 3, 7}, {a, 4, 6, 2}});
  list.items[1].title = "The second";
  const SourceSpec read = source_from_json(to_json(list));
  CHECK(read == list);
  CHECK(read.items[0].source == read.items[2].source);
}

TEST_CASE("people name an item by its title, its file, or a part that only one has", "[scene]") {
  const auto item = [](const std::string& path, const std::string& title) {
    PlaylistItem made{movie(path), 0, 10};
    made.title = title;
    return made;
  };
  const SourceSpec list =
      make_playlist({item("/films/one.mp4", "Opening"), item("/films/two.mp4", ""),
                     item("/films/wall/", "Opening night"), item("/films/two.mp4", "")});
  CHECK(name_of(list.items[0]) == "Opening");
  CHECK(name_of(list.items[1]) == "two.mp4");
  CHECK(name_of(list.items[2]) == "Opening night");
  CHECK(item_named(list, "opening") == 0);  // all of a title before a part of another
  CHECK(item_named(list, "NIGHT") == 2);
  CHECK(item_named(list, "one.mp4") == 0);
  CHECK(item_named(list, "/films/two.mp4") == 1);  // the first of two alike
  CHECK(item_named(list, "wall") == 2);
  CHECK_THROWS_WITH(item_named(list, "open"),
                    "goto: name: expected the title or file name of one item of the list, found "
                    "\"open\", which fits 0 Opening, 2 Opening night");
  CHECK_THROWS_WITH(item_named(list, "six"), Catch::Contains("found \"six\""));
}

TEST_CASE("ten thousand items of a playlist take few bytes", "[scene]") {
  const SourcePtr a = movie("/a");
  const SourceSpec list = make_playlist(std::vector<PlaylistItem>(10'000, {a, 0, 10}));
  CHECK(to_json(list).dump().size() < 200'000);
}

TEST_CASE("a playlist whose items make no sense is refused", "[scene][bad-input]") {
  const Json good = to_json(make_playlist({{movie("/a"), 0, 10}}));
  const auto refused = [&](const Json& items) {
    Json json = good;
    json["items"] = items;
    CHECK_THROWS_AS(source_from_json(json), InputError);
  };
  refused(Json::array());
  refused("0, 0, 10, 1");
  refused(Json::array({{0, 0, 10}}));
  refused(Json::array({{0, 0, 10, "1"}}));
  refused(Json::array({{0, 0, 10, 1.5}}));
  refused(Json::array({{0, 0, 10, 1, 2}}));
  refused(Json::array({{0, 0, 10, 1, "title", "more"}}));
  refused(Json::array({{1, 0, 10, 1}}));
  refused(Json::array({{-1, 0, 10, 1}}));
  refused(Json::array({{0, -1, 10, 1}}));
  refused(Json::array({{0, 3, 3, 1}}));
  refused(Json::array({{0, 0, 11, 1}}));
  refused(Json::array({{0, 0, 10, 0}}));
  refused(Json::array({{0, 0, 10, 1'000'001}}));
  Json endless = good;
  endless["sources"][0]["frames"] = std::int64_t{1} << 48;
  endless["items"] = Json::array({{0, 0, std::int64_t{1} << 48, 1'000'000}});
  CHECK_THROWS_WITH(source_from_json(endless), Catch::Contains("2^48"));
  endless["items"] = Json::array({{0, 0, std::int64_t{1} << 48, 1}, {0, 0, 1, 1}});
  CHECK_THROWS_WITH(source_from_json(endless), Catch::Contains("2^48"));
  Json nested = good;
  nested["sources"][0] = good;
  CHECK_THROWS_AS(source_from_json(nested), InputError);
}

TEST_CASE("sources and items are the same only if each of their parts is", "[scene]") {
  const PlaylistItem item{movie("/a"), 1, 9, 2};
  const std::vector<std::function<void(PlaylistItem&)>> item_changes = {
      [](PlaylistItem& one) { one.source = movie("/b"); },
      [](PlaylistItem& one) { one.first_frame = 2; },
      [](PlaylistItem& one) { one.end_frame = 8; },
      [](PlaylistItem& one) { one.rounds = 3; },
      [](PlaylistItem& one) { one.start = 5; },
      [](PlaylistItem& one) { one.title = "x"; }};
  PlaylistItem same_item = item;
  same_item.source = movie("/a");  // an equal one elsewhere
  CHECK(same_item == item);
  for (std::size_t i = 0; i < item_changes.size(); ++i) {
    CAPTURE(i);
    PlaylistItem other = item;
    item_changes[i](other);
    CHECK_FALSE(other == item);
  }
  const std::vector<std::function<void(SourceSpec&)>> source_changes = {
      [](SourceSpec& one) { one.kind = SourceKind::images; },
      [](SourceSpec& one) { one.path = "/b"; },
      [](SourceSpec& one) { one.files = {"x"}; },
      [](SourceSpec& one) { one.size_px.width = 65; },
      [](SourceSpec& one) { one.size_px.height = 49; },
      [](SourceSpec& one) { one.frames = 11; },
      [](SourceSpec& one) {
        one.fps = {25, 1};
      },
      [](SourceSpec& one) { one.audio = "x"; },
      [](SourceSpec& one) { one.is_field = true; },
      [](SourceSpec& one) { one.is_anatomical = true; },
      [](SourceSpec& one) {
        one.up = {1, 0, 0};
      },
      [](SourceSpec& one) { one.growing = true; },
      [](SourceSpec& one) { one.live = true; },
      [&](SourceSpec& one) { one.items = {item}; }};
  CHECK(*movie("/a") == *movie("/a"));
  for (std::size_t i = 0; i < source_changes.size(); ++i) {
    CAPTURE(i);
    SourceSpec other = *movie("/a");
    source_changes[i](other);
    CHECK_FALSE(other == *movie("/a"));
  }
}

TEST_CASE("each part of a source survives its JSON, and each limit holds", "[scene][bad-input]") {
  SourceSpec source = *movie("/a");
  source.files = {"1.png", "2.png"};
  source.fps = {30000, 1001};
  source.audio = "sound.wav";
  source.growing = source.live = true;
  source.up = {0, 0, 1};
  CHECK(source_from_json(to_json(source)) == source);
  const Json good = to_json(source);
  const auto refused = [&](const char* field, const Json& value) {
    CAPTURE(field, value.dump());
    Json json = good;
    json[field] = value;
    CHECK_THROWS_WITH(source_from_json(json), Catch::Contains(field));
  };
  for (const Json& rate : {Json{0, 1}, Json{1, 0}, Json{-1, 1}, Json{1, -1}, Json{1}, Json{1, 1, 1},
                           Json{1, std::int64_t{1} << 40}, Json{std::int64_t{1} << 40, 1}})
    refused("rate_fps", rate);
  for (const Json& size :
       {Json{0, 48}, Json{64, 0}, Json{-64, 48}, Json{64, -48}, Json{64}, Json{64, 48, 1}})
    refused("size_px", size);
  refused("frames", 0);
  refused("frames", (std::int64_t{1} << 48) + 1);
  refused("up", {0, 0, 0});
  Json slow = good;
  slow["rate_fps"] = {1, 1};
  CHECK(source_from_json(slow).fps == Rational{1, 1});
  // Only volumes say whether they are fields.
  Json field = good;
  field["is_field"] = field["is_anatomical"] = true;
  CHECK_FALSE(source_from_json(field).is_field);
  CHECK_FALSE(source_from_json(field).is_anatomical);
}
