#include "player/terminal/show_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "sync/base/terminal_text.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t endless_frames = std::int64_t{1} << 40;  // patterns have no end

/// A part of the line; `shorter` stands in for `text` before anything is left out.
struct Part {
  int weight = 0;  // the least goes first
  std::string text;
  std::string shorter;
};

std::string joined(const std::vector<Part>& parts) {
  std::string line;
  for (const Part& part : parts)
    if (!part.text.empty()) line += (line.empty() ? "" : "  ") + part.text;
  return line;
}

/// What is wrong, or the phase where that is not simply "playing".
std::string condition_text(const Json& status) {
  const std::string phase = status.value("phase", "");
  const Json reasons = status.value("reasons", Json::array());
  const bool well = status.value("light", "green") == "green" || reasons.empty();
  if (!well) return printable_text(reasons.front().get<std::string>());
  return phase == "playing" ? "" : phase;
}

void add_place(const Json& status, std::vector<Part>& parts) {
  const Json& region = status.at("scene").at("regions").at(0);
  if (!status.at("frame").is_number()) return;
  const auto frame = status.at("frame").get<std::int64_t>();
  const auto frames = region.at("frames").get<std::int64_t>();
  const double fps = region.at("base_fps").get<double>();
  if (frames == 1) return;  // a still: nothing moves on
  const bool ends = frames < endless_frames;
  const std::string short_frame = fmt::format("frame {}", frame);
  parts.push_back(
      {10, ends ? fmt::format("frame {} of {}", frame, frames) : short_frame, short_frame});
  if (!(fps > 0)) return;
  const std::string short_time = duration_text(static_cast<double>(frame) / fps);
  parts.push_back(
      {7,
       ends ? fmt::format("{} of {}", short_time, duration_text(static_cast<double>(frames) / fps))
            : short_time,
       short_time});
  if (!region.contains("playlist")) return;
  const Json& item = region.at("playlist");
  const std::string number = fmt::format("item {} of {}", item.at("item").get<std::int64_t>() + 1,
                                         item.at("items").get<std::int64_t>());
  parts.push_back({6, number + " " + printable_text(item.at("name").get<std::string>()), number});
}

/// Whether there was a part to shorten, the least important one first.
bool shorten(std::vector<Part>& parts) {
  const auto least = std::min_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    const bool a_can = a.text != a.shorter && !a.shorter.empty();
    const bool b_can = b.text != b.shorter && !b.shorter.empty();
    return a_can != b_can ? a_can : a.weight < b.weight;
  });
  if (least == parts.end() || least->shorter.empty() || least->text == least->shorter) return false;
  least->text = least->shorter;
  return true;
}

}  // namespace

std::string show_line(const Json& status, const std::string& control, int columns) {
  std::vector<Part> parts;
  parts.push_back({9, condition_text(status), ""});
  add_place(status, parts);
  parts.push_back({8, fmt::format("{} late", status.at("frames_late").get<std::int64_t>()), ""});
  parts.push_back({4, control, ""});
  parts.push_back({5, "q quits", ""});
  const auto too_long = [&] { return columns_of(joined(parts)) > columns; };
  while (too_long() && shorten(parts)) continue;
  while (too_long() && parts.size() > 1)
    parts.erase(std::min_element(parts.begin(), parts.end(),
                                 [](const Part& a, const Part& b) { return a.weight < b.weight; }));
  return fit_columns(joined(parts), columns);
}

}  // namespace tilewall
