// Feeds the timesteps of a running simulation to tilewall: C++17 over tilewall_source.h, which has
// the rules.
//
//   tilewall::Source source("wall:7643", "gs", rank, ranks, {128, 128, 64});
//   for (...) {
//     source.put("u", box, u.data());
//     source.end_step(time);
//   }
//
// Each call comes in two forms: put() throws SourceError, try_put() returns the status. A
// simulation that is to run on whatever happens to its wall uses the second.
//
// Threads: as in tilewall_source.h. A moved-from source may only be destroyed or assigned to.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "tilewall_source.h"

namespace tilewall::net {
class Source;
class SourceError;
struct SourceOptions;
}  // namespace tilewall::net

namespace tilewall {
using net::Source;
using net::SourceError;
using net::SourceOptions;
}  // namespace tilewall

namespace tilewall::net {

/// A call that failed; what() is a line about it.
class SourceError : public std::runtime_error {
 public:
  SourceError(int status, const char* line) : std::runtime_error(line), status_(status) {}
  /// A tilewall_status.
  [[nodiscard]] int status() const noexcept { return status_; }

 private:
  int status_;
};

/// See tilewall_options. Empty texts mean none.
struct SourceOptions {
  std::array<double, 3> spacing{1, 1, 1};
  std::array<double, 3> origin{};
  std::string units;
  std::string key_file;
  std::string key_hex;
  double wait_s = 60;
  double linger_s = 1;
  std::uint64_t memory = 0;
};

/// The tilewall_type of a C++ type.
template <typename Value>
struct SourceType;
template <>
struct SourceType<std::uint8_t> {
  static constexpr int value = TILEWALL_U8;
};
template <>
struct SourceType<std::uint16_t> {
  static constexpr int value = TILEWALL_U16;
};
template <>
struct SourceType<float> {
  static constexpr int value = TILEWALL_F32;
};
template <>
struct SourceType<double> {
  static constexpr int value = TILEWALL_F64;
};

class Source {
 public:
  /// Opens the source of one rank. Throws SourceError.
  Source(const std::string& where, const std::string& name, int rank, int ranks,
         const std::array<std::int64_t, 3>& grid, const SourceOptions& options = SourceOptions()) {
    const auto text_or_null = [](const std::string& text) {
      return text.empty() ? nullptr : text.c_str();
    };
    tilewall_options given;
    tilewall_options_init(&given);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      given.spacing[axis] = options.spacing[axis];
      given.origin[axis] = options.origin[axis];
    }
    given.units = text_or_null(options.units);
    given.key_file = text_or_null(options.key_file);
    given.key_hex = text_or_null(options.key_hex);
    given.wait_s = options.wait_s;
    given.linger_s = options.linger_s;
    given.memory = options.memory;
    tilewall_source* opened = nullptr;
    const int status =
        tilewall_open(where.c_str(), name.c_str(), rank, ranks, grid.data(), &given, &opened);
    if (status != TILEWALL_OK) throw SourceError(status, tilewall_error(nullptr));
    source_.reset(opened);
  }

  /// Names the units of a field before its first put.
  void set_units(const std::string& field, const std::string& units) {
    expect_ok(tilewall_field(get(), field.c_str(), units.c_str()));
  }

  /// Puts a box; strides in bytes.
  template <typename Value>
  [[nodiscard]] int try_put(const std::string& field, const tilewall_box& box, const Value* data,
                            const tilewall_ghosts& ghosts,
                            const std::array<std::int64_t, 3>& strides) noexcept {
    return tilewall_put(get(), field.c_str(), &box, &ghosts, strides.data(),
                        SourceType<Value>::value, data);
  }
  /// Puts a box of an array with x fastest and without padding.
  template <typename Value>
  [[nodiscard]] int try_put(const std::string& field, const tilewall_box& box, const Value* data,
                            const tilewall_ghosts& ghosts = tilewall_ghosts()) noexcept {
    return tilewall_put(get(), field.c_str(), &box, &ghosts, nullptr, SourceType<Value>::value,
                        data);
  }
  template <typename... Arguments>
  void put(const std::string& field, const tilewall_box& box, const Arguments&... arguments) {
    expect_ok(try_put(field, box, arguments...));
  }

  [[nodiscard]] int try_end_step(double time) noexcept { return tilewall_end_step(get(), time); }
  void end_step(double time) { expect_ok(try_end_step(time)); }

  /// Whether any field is sent in this timestep.
  [[nodiscard]] bool wanted() noexcept { return tilewall_wanted(get(), nullptr) != 0; }
  [[nodiscard]] bool wanted(const std::string& field) noexcept {
    return tilewall_wanted(get(), field.c_str()) != 0;
  }

  [[nodiscard]] tilewall_statistics statistics() noexcept {
    tilewall_statistics statistics = {};
    statistics.size = sizeof statistics;
    static_cast<void>(tilewall_get_statistics(get(), &statistics));
    return statistics;
  }
  /// The port on which walls may connect; 0: none.
  [[nodiscard]] int port() noexcept { return tilewall_port(get()); }
  /// A line about the last call that failed.
  [[nodiscard]] std::string error() { return tilewall_error(get()); }
  /// The newest line about a wall.
  [[nodiscard]] std::string news() { return tilewall_news(get()); }
  [[nodiscard]] tilewall_source* get() const noexcept { return source_.get(); }

 private:
  struct Close {
    void operator()(tilewall_source* source) const noexcept { tilewall_close(source); }
  };
  void expect_ok(int status) {
    if (status != TILEWALL_OK) throw SourceError(status, tilewall_error(get()));
  }

  std::unique_ptr<tilewall_source, Close> source_;
};

}  // namespace tilewall::net
