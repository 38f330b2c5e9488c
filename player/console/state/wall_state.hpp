// The state that browsers receive, in revisions. A browser gets the whole state once, and from then
// on patches from the revision that it has to the newest one.
//
// Threads: one owner.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

namespace tilewall::console {

/// A text that many browsers get.
using SharedText = std::shared_ptr<const std::string>;

/// JSON as text; bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string text_of(const nlohmann::json& json);

/// Who reads the state. A guest is a viewer or a presenter.
enum class StateReader { guest, operator_ };

class WallState {
 public:
  /// So many revisions back there are patches; whoever is further behind gets the whole state.
  static constexpr std::size_t kept_revisions = 16;

  /// `operator_parts`: the names of parts that no guest gets.
  explicit WallState(std::set<std::string> operator_parts = {});

  /// Sets a part of the state, such as "status", for the next revision.
  void set(const std::string& name, nlohmann::json value);
  [[nodiscard]] const nlohmann::json& part(const std::string& name) const;

  /// Makes a new revision if a part has changed. Returns whether there is one.
  bool commit();

  [[nodiscard]] std::uint64_t revision() const noexcept { return revisions_.back().number; }

  /// The message that brings a browser from its revision to the newest one: a patch, or the whole
  /// state where it has none or an old one. Made once for all browsers of such a reader with that
  /// revision. @pre `from` is not the newest revision
  [[nodiscard]] SharedText message_from(std::optional<std::uint64_t> from, StateReader reader);

 private:
  /// Revisions share the parts that are equal in them: the status of a wall of 500 panels is large,
  /// and most revisions are made by an event that leaves it as it is.
  using Parts = std::map<std::string, std::shared_ptr<const nlohmann::json>>;

  /// A text for each reader; null: not made yet.
  using Texts = std::array<SharedText, 2>;

  struct Revision {
    std::uint64_t number = 0;
    Parts parts;
    Texts patch;  // from this revision to the newest one
  };

  [[nodiscard]] bool gets(StateReader reader, const std::string& part) const;
  [[nodiscard]] nlohmann::json patch_from(const Parts& before, StateReader reader) const;
  [[nodiscard]] SharedText whole(StateReader reader);

  const std::set<std::string> operator_parts_;
  Parts next_;
  std::deque<Revision> revisions_;
  Texts whole_;
};

}  // namespace tilewall::console
