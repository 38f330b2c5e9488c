#include "player/scene/source_spec.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
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
  const SourceSpec list = make_playlist({{a, 0, 10}, {movie("/b"), 2, 3, 7}, {a, 4, 6, 2}});
  const SourceSpec read = source_from_json(to_json(list));
  CHECK(read == list);
  CHECK(read.items[0].source == read.items[2].source);
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
