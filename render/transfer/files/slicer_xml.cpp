// 3D Slicer's volume presets: <VolumeProperty> elements whose attributes hold lists of numbers, the
// first of them how many follow: colorTransfer (value r g b), scalarOpacity (value opacity).
//
// Values are those of the data (Hounsfield units of CT), and opacities are for 1 mm.

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <map>
#include <memory>
#include <vector>

#include "render/transfer/files/formats.hpp"
#include "render/transfer/transfer_curves.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::render {
namespace {

constexpr int max_xml_depth = 16;
constexpr double slicer_unit_mm = 1;

struct Preset {
  std::map<std::string, std::string> attributes;
  int line = 0;
};

/// State of expat's callbacks. They must not throw through expat, so `failure` is thrown
/// afterwards.
struct Presets {
  XML_Parser parser = nullptr;
  std::string path;
  int depth = 0;
  std::vector<Preset> found;
  std::exception_ptr failure;

  [[nodiscard]] int line() const { return static_cast<int>(XML_GetCurrentLineNumber(parser)); }

  template <typename Work>
  void guarded(const Work& work) noexcept {
    if (failure) return;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
      XML_StopParser(parser, XML_FALSE);
    }
  }

  void begin(const char* name, const char** attributes) {
    if (++depth > max_xml_depth)
      throw InputError({path, line()}, "", fmt::format("at most {} nested elements", max_xml_depth),
                       "more");
    if (std::string_view(name) != "VolumeProperty") return;
    Preset& preset = found.emplace_back();
    preset.line = line();
    for (; attributes[0] != nullptr; attributes += 2)
      preset.attributes.emplace(attributes[0], attributes[1]);
  }
};

void parse(const TransferFile& file, Presets& presets) {
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
      XML_ParserCreate(nullptr), &XML_ParserFree);
  if (!parser) throw std::bad_alloc();
  presets.parser = parser.get();
  presets.path = file.path;
  XML_SetUserData(parser.get(), &presets);
  XML_SetElementHandler(
      parser.get(),
      [](void* user, const char* name, const char** attributes) {
        auto& self = *static_cast<Presets*>(user);
        self.guarded([&] { self.begin(name, attributes); });
      },
      [](void* user, const char* /*name*/) { --static_cast<Presets*>(user)->depth; });
  // Entities, of this file or of others, are declared in a document type, which presets do not
  // have. Refusing it bounds their expansion.
  XML_SetStartDoctypeDeclHandler(
      parser.get(), [](void* user, const char* /*name*/, const char* /*system*/,
                       const char* /*public*/, int /*internal*/) {
        auto& self = *static_cast<Presets*>(user);
        self.guarded([&] {
          throw InputError({self.path, self.line()}, "", "presets without a document type",
                           "a <!DOCTYPE>");
        });
      });
  const XML_Status status =
      XML_Parse(parser.get(), file.bytes.data(), static_cast<int>(file.bytes.size()), XML_TRUE);
  if (presets.failure) std::rethrow_exception(presets.failure);
  if (status != XML_STATUS_OK)
    throw InputError({file.path, presets.line()}, "", "valid XML",
                     XML_ErrorString(XML_GetErrorCode(parser.get())));
}

/// One preset's attributes.
class Attributes {
 public:
  Attributes(const TransferFile& file, const Preset& preset)
      : place_{file.path, preset.line}, values_(preset.attributes) {}

  [[nodiscard]] const InputPlace& place() const { return place_; }

  /// An attribute's text; "" where it is missing.
  [[nodiscard]] std::string text(const char* name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? "" : found->second;
  }

  /// A list: its count, and as many numbers, at least two groups of `group`.
  [[nodiscard]] std::vector<double> numbers(const char* name, std::size_t group) const {
    const std::string list = text(name);
    const std::string expected =
        fmt::format("a count of 2 to {} times {}, and as many numbers", max_transfer_points, group);
    std::vector<double> numbers;
    const char* at = list.data();
    const char* const end = at + list.size();
    for (;;) {
      while (at != end && std::string_view(" \t\r\n").find(*at) != std::string_view::npos) ++at;
      if (at == end) break;
      double number = 0;
      const auto [after, error] = std::from_chars(at, end, number);
      if (error != std::errc() || numbers.size() > max_transfer_points * group)
        refuse(name, expected, list);
      numbers.push_back(number);
      at = after;
    }
    const std::size_t count = numbers.empty() ? 0 : numbers.size() - 1;
    if (count < 2 * group || count % group != 0 || numbers[0] != static_cast<double>(count))
      refuse(name, expected, list);
    numbers.erase(numbers.begin());
    return numbers;
  }

  /// A strength of light in [0, 10].
  [[nodiscard]] float strength(const char* name, float otherwise) const {
    const std::string value = text(name);
    if (value.empty()) return otherwise;
    float number = -1;
    const char* const end = value.data() + value.size();
    const auto [after, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc() || after != end || !(number >= 0 && number <= 10))
      refuse(name, "a number in [0, 10]", value);
    return number;
  }

  [[noreturn]] void refuse(const char* name, std::string_view expected,
                           const std::string& found) const {
    throw InputError(place_, name, expected,
                     found.empty() ? "nothing" : fmt::format("\"{}\"", escaped_text(found)));
  }

 private:
  InputPlace place_;
  const std::map<std::string, std::string>& values_;
};

std::vector<TransferPoint> colours_of(const Attributes& preset) {
  constexpr const char* name = "colorTransfer";
  const std::vector<double> n = preset.numbers(name, 4);
  std::vector<TransferPoint> points;
  for (std::size_t i = 0; i < n.size(); i += 4) {
    const auto channel = [&](std::size_t j) {
      return checked_channel(preset.place(), name, n[i + j]);
    };
    points.push_back({n[i], {channel(1), channel(2), channel(3), 1}});
  }
  check_rising(preset.place(), name, points);
  return points;
}

std::vector<TransferPoint> opacities_of(const Attributes& preset) {
  constexpr const char* name = "scalarOpacity";
  const std::vector<double> n = preset.numbers(name, 2);
  std::vector<TransferPoint> points;
  for (std::size_t i = 0; i < n.size(); i += 2)
    points.push_back({n[i], {0, 0, 0, checked_channel(preset.place(), name, n[i + 1])}});
  check_rising(preset.place(), name, points);
  return points;
}

TransferLook look_of(const Attributes& preset) {
  const Lighting usual;
  const std::string shade = preset.text("shade");
  if (!shade.empty() && shade != "0" && shade != "1") preset.refuse("shade", "0 or 1", shade);
  return {shade == "1" ? Shading::headlight : Shading::none,
          {preset.strength("ambient", usual.ambient), preset.strength("diffuse", usual.diffuse),
           preset.strength("specular", usual.specular)}};
}

/// Whether opacity depends on the gradient, too: every second number after the count is not 1.
bool has_gradient_opacity(const Attributes& preset) {
  if (preset.text("gradientOpacity").empty()) return false;
  const std::vector<double> n = preset.numbers("gradientOpacity", 2);
  for (std::size_t i = 1; i < n.size(); i += 2)
    if (n[i] != 1) return true;
  return false;
}

}  // namespace

TransferSpec read_slicer_xml(const TransferFile& file) {
  Presets presets;
  parse(file, presets);
  if (presets.found.empty())
    throw InputError({file.path}, "", "a <VolumeProperty> element", "none");
  std::vector<std::string> names;
  for (const Preset& preset : presets.found) names.push_back(Attributes(file, preset).text("name"));
  const std::size_t index = chosen(file, names);
  const Attributes preset(file, presets.found[index]);
  TransferSpec spec;
  spec.name = transfer_name(names[index]);
  spec.scale = TransferScale::values;
  const std::vector<TransferPoint> colours = colours_of(preset);
  spec.points = joined(colours, opacities_of(preset));
  spec.unit = slicer_unit_mm;
  spec.look = look_of(preset);
  if (has_gradient_opacity(preset)) spec.notes.emplace_back("gradientOpacity: not used");
  return spec;
}

}  // namespace tilewall::render
