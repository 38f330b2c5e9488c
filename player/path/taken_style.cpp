#include "player/path/taken_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "render/transfer/files/transfer_file.hpp"
#include "sync/base/error.hpp"

namespace tilewall::path {
namespace {

bool has_word(const std::vector<StyleWord>& words, std::string_view field) {
  return std::ranges::find(words, field, &StyleWord::field) != words.end();
}

/// The fields that a transfer function's file sets beside the function.
std::vector<StyleWord> set_by_transfer(const std::string& name_or_file) try {
  const render::TransferSpec spec = render::read_transfer(name_or_file);
  std::vector<StyleWord> set;
  if (spec.by_log) set.push_back({"scale", "log"});
  if (!spec.look) return set;
  const render::Lighting& light = spec.look->lighting;
  set.push_back({"lit", spec.look->shading == render::Shading::headlight ? "on" : "off"});
  set.push_back({"light", fmt::format("{},{},{}", light.ambient, light.diffuse, light.specular)});
  return set;
} catch (const InputError&) {
  return {};
}

/// The fields that a key's word sets beside its own.
std::vector<StyleWord> set_with(const StyleWord& word, const std::vector<StyleWord>& words) {
  if (word.field == "tf") return set_by_transfer(word.value);
  if (word.field == "range") return {{"window", "1"}, {"level", "0.5"}};
  if (word.field == "iso") {
    if (word.value == "auto" || has_word(words, "mode")) return {{"iso_shift", "0"}};
    return {{"mode", "isosurface"}, {"iso_shift", "0"}};
  }
  // Every preset sets the same fields, so that the key behind never needs their values.
  if (word.field == "annotate")
    return {{"axes", ""},  {"bar", ""},  {"label", ""},  {"box", ""},
            {"ruler", ""}, {"date", ""}, {"letters", ""}};
  return {};
}

bool is_set_with(std::string_view field, const std::vector<StyleWord>& words) {
  return std::ranges::any_of(words, [&](const StyleWord& word) {
    return word.field == field || has_word(set_with(word, words), field);
  });
}

}  // namespace

std::vector<StyleWord> taken_words(const std::vector<StyleWord>& removed,
                                   const std::vector<StyleWord>& next) {
  std::vector<StyleWord> taken;
  for (const StyleWord& word : removed) {
    if (!is_set_with(word.field, next)) {
      taken.push_back(word);  // it brings the fields that it sets beside its own
      continue;
    }
    for (StyleWord& beside : set_with(word, removed))
      if (!has_word(removed, beside.field) && !is_set_with(beside.field, next))
        taken.push_back(std::move(beside));
  }
  return taken;
}

}  // namespace tilewall::path
