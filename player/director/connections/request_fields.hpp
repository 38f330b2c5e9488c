// Reads the fields of a request at the control port by name, and refuses wrong and unknown ones
// with one line.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sync/base/rational.hpp"
#include "sync/global_time.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::director {

class RequestFields {
 public:
  /// `request` outlives this object. Throws InputError unless it is an object with a "type",
  /// whose field "person" is a name, if it has one.
  explicit RequestFields(const nlohmann::json& request);

  [[nodiscard]] const std::string& verb() const noexcept { return verb_; }

  // Each throws InputError naming verb and field where the field has another type. Those without a
  // default throw where it is missing, too.
  [[nodiscard]] bool has(const char* field);
  [[nodiscard]] std::string text(const char* field);
  [[nodiscard]] std::string text_or(const char* field, const std::string& otherwise);
  [[nodiscard]] double number(const char* field);  ///< finite
  [[nodiscard]] double number_or(const char* field, double otherwise);
  [[nodiscard]] std::int64_t whole(const char* field);
  [[nodiscard]] std::optional<std::int64_t> whole_if(const char* field);
  [[nodiscard]] bool flag(const char* field);
  [[nodiscard]] Nanos glide(Nanos usual = Nanos(0));  ///< "glide_s", 0 to 60; `usual` if missing
  /// An array of `count` finite numbers.
  [[nodiscard]] std::vector<double> numbers(const char* field, std::size_t count);
  [[nodiscard]] RectF rect(const char* field);     ///< [x, y, width, height], finite
  [[nodiscard]] Rational rate(const char* field);  ///< 2, 0.5, "1/3"
  [[nodiscard]] const nlohmann::json& object(const char* field);

  /// Throws InputError where the request has a field that no call has read.
  void check_all_known() const;

  [[noreturn]] void refuse(const char* field, const std::string& expected,
                           const std::string& found) const;

 private:
  [[nodiscard]] const nlohmann::json& value(const char* field);

  const nlohmann::json& request_;
  std::string verb_;
  std::set<std::string, std::less<>> known_ = {"type", "tag",    "id",    "once",
                                               "as",   "person", "region"};
};

}  // namespace tilewall::director
