// Styles as words of a flight path's keys: what keys may say, what they change, and which words
// make a wall's style again.

#include "player/cli/options/path_styles.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "player/cli/options/volume_fields.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::cli;
using namespace tilewall::render;
using Json = nlohmann::json;

namespace {

/// A path of keys with these words, of the line and name that they would have in a file.
path::PathFile path_with(const std::vector<std::vector<path::StyleWord>>& keys) {
  path::PathFile path;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    path.keys.emplace_back().style = keys[i];
    for (path::StyleWord& word : path.keys.back().style)
      word.place =
          "a.toml:" + std::to_string(i + 1) + ": key[" + std::to_string(i) + "]." + word.field;
  }
  return path;
}

}  // namespace

TEST_CASE("keys of a path may have each field that a style has", "[cli]") {
  std::vector<std::string> names;
  for (const std::string_view name : path::style_word_fields()) names.emplace_back(name);
  std::vector<std::string> fields;
  for (const StyleField& field : style_fields()) fields.emplace_back(field.name);
  std::ranges::sort(names);
  std::ranges::sort(fields);
  CHECK(names == fields);
}

TEST_CASE("the keys of a path change the style of the key before", "[cli]") {
  const auto base = plain_style();
  const auto styles = key_styles(path_with({{},
                                            {{"tf", "magma"}, {"clip", "0,0.5,0,1,0,1"}},
                                            {},
                                            {{"iso", "90"}},
                                            {{"mode", "maximum"}, {"tf", "viridis"}}}),
                                 base);
  CHECK(styles[0] == base);
  CHECK(styles[1]->transfer.name == "magma");
  CHECK(styles[1]->clip_max[0] == 0.5);
  CHECK(styles[2] == styles[1]);
  CHECK(styles[3]->mode == CastMode::isosurface);
  CHECK(styles[3]->clip_max[0] == 0.5);
  CHECK(styles[4]->mode == CastMode::maximum);
  CHECK(styles[4]->iso_value == 90.0);
  const auto fault = [&](const path::StyleWord& word) -> std::string {
    try {
      static_cast<void>(key_styles(path_with({{}, {word}}), base));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(fault({"clip", "0,2,0,1,0,1"}).starts_with("a.toml:2: key[1].clip: expected X0,X1"));
  CHECK(fault({"tf", "none.toml"}).starts_with("a.toml:2: key[1].tf: none.toml: expected"));
  CHECK(fault({"title", std::string(300, 'x')}) ==
        "a.toml:2: key[1].title: expected a line of at most 256 bytes, found another value");
  CHECK(fault({"lit", "maybe"}) == "a.toml:2: key[1].lit: expected on or off, found \"maybe\"");
}

TEST_CASE("a wall's style becomes the words that make it again", "[cli]") {
  const test::TemporaryFolder folder;
  const auto file = (folder / "own.toml").string();
  auto from = plain_style();
  for (const std::vector<std::pair<const char*, const char*>>& change :
       std::vector<std::vector<std::pair<const char*, const char*>>>{
           {},
           {{"range", "20,180.5"}, {"window", "0.5"}, {"lit", "on"}},
           {{"range", "data"}, {"level", "0.25"}, {"light", "0.5,0.25,0.125"}},
           {{"iso", "90"}, {"mode", "composite"}, {"iso_shift", "0.25"}},
           {{"iso", "auto"}, {"step", "0.5"}, {"scale", "symlog:2"}, {"range", "1%,99%"}},
           {{"plane", "1,0,0,2"}, {"plane", "0,1,0,-3"}, {"background", "#102030"}},
           {{"plane", "off"}, {"tf", "magma"}, {"low", "on"}},
           {{"clip", "0.1,0.5,0,1,0,1"}, {"annotate", "paper"}, {"title", "A"}, {"letters", "9"}},
           {{"caption", "A, \"b\""}, {"caption_at", "0.25,0.75,across"}},
           {{"caption_at", "40mm,25.5mm"}},
           {{"caption", ""}, {"caption_at", "auto"}},
           {{"annotate", "off"}, {"title", ""}, {"step", "auto"}, {"opacity", "2.5"}}}) {
    Json patch = Json::object();
    for (const auto& [name, value] : change) add_style_change(patch, name, value, name);
    const auto to = std::make_shared<const scene::VolumeStyle>(scene::patched(*from, patch));
    CAPTURE(patch.dump());
    const StyleWords words = style_words(*from, *to, file);
    CHECK(words.transfer_text.empty());
    CHECK(words.words.size() <= change.size() + 3);
    CHECK(*key_styles(path_with({words.words}), from).front() == *to);
    CHECK(scene::patched(*from, style_change(*from, *to)) == *to);
    from = to;
  }
  // A function without a name is drawn by its file as by itself, low values included.
  auto own = std::make_shared<scene::VolumeStyle>(*from);
  own->transfer.points[1].colour.g = 0.375F;
  own->transfer.name = "mine";
  REQUIRE(own->low_values);
  const StyleWords words = style_words(*from, *own, file);
  REQUIRE(words.words == std::vector<path::StyleWord>{{"tf", file}});
  write_file_atomically(file, words.transfer_text);
  const auto again = key_styles(path_with({words.words}), from).front();
  const auto points = [](const scene::VolumeStyle& style) {
    return scene::styled_function(style, {0, 1}, 1).points();
  };
  CHECK(std::ranges::equal(points(*own), points(*again), [](const auto& a, const auto& b) {
    return a.value == b.value && a.colour == b.colour;
  }));
  CHECK(style_words(*again, *own, "other.toml").words.empty());
}

TEST_CASE("a path that is flown on a wall leaves alone what none of its keys names", "[cli]") {
  auto shown = *plain_style();
  shown.lit = true;
  shown.opacity = 2;
  CHECK(*style_before(path_with({{}, {}}), shown) == shown);
  const auto before = style_before(path_with({{}, {{"lit", "on"}, {"clip", "off"}}}), shown);
  CHECK_FALSE(before->lit);
  CHECK(before->opacity == 2);
}

TEST_CASE("keys are added with what differs from the key before", "[cli]") {
  const test::TemporaryFolder folder;
  const auto file = (folder / "flight.toml").string();
  path::PathKey key;
  key.flight.camera.eye = {4, 0, 0};
  key.flight.camera.look_at = {};
  key.flight.camera.up = {0, 0, 1};
  auto style = *plain_style();
  style.lit = true;
  CHECK(add_shown_key(file, key, style, "") == 1);
  style.clip_max[2] = 0.5;
  key.flight.camera.eye = {0, 4, 0};
  CHECK(add_shown_key(file, key, style, "") == 2);
  style.transfer.points[0].colour.r = 0.5F;
  key.flight.camera.eye = {0, -4, 0};
  CHECK(add_shown_key(file, key, style, "") == 3);
  key.flight.camera.eye = {-4, 0, 0};
  CHECK(add_shown_key(file, key, style, "") == 4);
  const path::PathFile path = path::read_path_file(file);
  using Words = std::vector<path::StyleWord>;
  CHECK(path.keys[0].style == Words{{"low", "off"}, {"lit", "on"}});
  CHECK(path.keys[1].style == Words{{"clip", "0,1,0,1,0,0.5"}});
  CHECK(path.keys[2].style == Words{{"tf", (folder / "flight-tf3.toml").string()}});
  CHECK(path.keys[3].style.empty());
  CHECK(key_styles(path, plain_style())[3]->transfer.points[0].colour.r == 0.5F);
}
