#include "player/cli/source/probe_answer.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "player/movie/shared/movie_page.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t most_side_px = 1 << 16;
constexpr std::int64_t most_rate_part = 1'000'000'000;
constexpr std::int64_t most_bytes = std::int64_t{1} << 40;

class CheckedAnswer {
 public:
  CheckedAnswer(const Json& json, std::string file) : json_(json), file_(std::move(file)) {}

  [[nodiscard]] std::int64_t number(const char* field, std::int64_t most) const {
    return checked(json_.value(field, Json()), field, most);
  }

  [[nodiscard]] Rational fps() const {
    const Json fps = json_.value("fps", Json());
    if (!fps.is_array() || fps.size() != 2)
      throw InputError({file_}, "fps", "two numbers", shown_json(fps));
    return {checked(fps[0], "fps", most_rate_part), checked(fps[1], "fps", most_rate_part)};
  }

 private:
  [[nodiscard]] std::int64_t checked(const Json& value, const char* field,
                                     std::int64_t most) const {
    if (!value.is_number_integer() || value < 1 || value > most)
      throw InputError({file_}, field, fmt::format("an integer in [1, {}]", most),
                       shown_json(value));
    return value.get<std::int64_t>();
  }

  const Json& json_;
  const std::string file_;
};

}  // namespace

MovieProbe movie_probe_from(const Json& answer, const std::filesystem::path& file) {
  const CheckedAnswer checked(answer, file.string());
  MovieProbe probe;
  probe.size_px = {static_cast<int>(checked.number("width_px", most_side_px)),
                   static_cast<int>(checked.number("height_px", most_side_px))};
  probe.fps = checked.fps();
  probe.frames = checked.number("frames", most_frames);
  probe.has_sound = answer.value("sound", Json()) == Json(true);
  probe.picture_bytes = static_cast<std::uint64_t>(checked.number("picture_bytes", most_bytes));
  return probe;
}

}  // namespace tilewall
