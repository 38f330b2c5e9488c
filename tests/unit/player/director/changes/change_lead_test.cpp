// How long before its instant a change is sent, from what panels needed for the changes before.

#include "player/director/changes/change_lead.hpp"

#include <catch2/catch.hpp>

#include "tests/support/instants.hpp"

using namespace tilewall;
using namespace tilewall::director;
using test::at_ms;

namespace {

using std::chrono::milliseconds;

class MeasuredWall {
 public:
  explicit MeasuredWall(std::size_t panels) : lead_(panels) {
    for (std::size_t i = 0; i < panels; ++i) {
      lead_.join(i);
      all_.push_back(i);
    }
  }

  ChangeLead& operator*() { return lead_; }
  ChangeLead* operator->() { return &lead_; }

  /// One change, for which every panel needs so long; `slow` needs `drawing` instead.
  void change(milliseconds delivery, milliseconds usual, std::size_t slow, milliseconds drawing) {
    ++epoch_;
    lead_.sent(epoch_, at_ms(1000), all_);
    for (const std::size_t panel : all_) answer(panel, delivery, panel == slow ? drawing : usual);
  }
  void change(milliseconds delivery, milliseconds drawing) {
    change(delivery, drawing, all_.size(), drawing);
  }
  void answer(std::size_t panel, milliseconds delivery, milliseconds drawing) {
    lead_.take(panel, {epoch_, (at_ms(1000) + delivery).since_epoch.count(),
                       (at_ms(1000) + delivery + drawing).since_epoch.count()});
  }

  [[nodiscard]] Nanos lead(ChangeLead::Use use = {}) const { return lead_.lead(use); }

 private:
  ChangeLead lead_;
  std::vector<std::size_t> all_;
  std::uint64_t epoch_ = 1;
};

}  // namespace

TEST_CASE("a wall that was never changed gets a lead below 60 ms", "[director]") {
  const MeasuredWall wall(15);
  CHECK(wall.lead() < milliseconds(60));
  CHECK(wall.lead() > milliseconds(30));
  CHECK(ChangeLead(3).lead({}) == ChangeLead::shortest_lead);  // no panel is there
}

TEST_CASE("the lead follows the slowest panel: up at once, down slowly", "[director]") {
  MeasuredWall wall(3);
  wall.change(milliseconds(2), milliseconds(20));
  CHECK(wall.lead() == milliseconds(22) + ChangeLead::margin);
  wall.change(milliseconds(2), milliseconds(20), 1, milliseconds(60));
  CHECK(wall.lead() == milliseconds(62) + ChangeLead::margin);
  wall.change(milliseconds(2), milliseconds(20));
  CHECK(wall.lead() == milliseconds(57) + ChangeLead::margin);  // an eighth of 40 ms less
  for (int i = 0; i < 60; ++i) wall.change(milliseconds(2), milliseconds(20));
  CHECK(wall.lead() < milliseconds(23) + ChangeLead::margin);
  for (int i = 0; i < 60; ++i) wall.change(milliseconds(0), milliseconds(1));
  CHECK(wall.lead() == ChangeLead::shortest_lead);
}

TEST_CASE("drawing counts up to its limit, delivery far beyond it", "[director]") {
  MeasuredWall wall(2);
  wall.change(milliseconds(2), milliseconds(5000));  // a movie had to be opened
  CHECK(wall.lead() == ChangeLead::longest_drawing + milliseconds(2) + ChangeLead::margin);
  wall.change(milliseconds(300), milliseconds(5000));
  CHECK(wall.lead() == ChangeLead::longest_drawing + milliseconds(300) + ChangeLead::margin);
  wall.change(milliseconds(90'000), milliseconds(5000));
  CHECK(wall.lead() ==
        ChangeLead::longest_drawing + ChangeLead::longest_delivery + ChangeLead::margin);
}

TEST_CASE("a remote panel gets the lead of its link before the first change", "[director]") {
  MeasuredWall wall(2);
  const Nanos local = wall.lead();
  wall->set_round_trip(1, milliseconds(200));
  CHECK(wall.lead() == local + milliseconds(100));
  // And never less than the link takes, whatever the clocks say.
  for (int i = 0; i < 60; ++i) wall.change(milliseconds(0), milliseconds(5));
  CHECK(wall.lead() >= milliseconds(105));
  wall->leave(1);
  CHECK(wall.lead() < milliseconds(60));
}

TEST_CASE("pictures that take long raise the first lead, and no later one", "[director]") {
  MeasuredWall wall(2);
  const Nanos usual = wall.lead();
  wall->set_picture_time(0, milliseconds(1));
  CHECK(wall.lead() == usual);
  wall->set_picture_time(0, milliseconds(25));
  CHECK(wall.lead() > usual);
  wall->set_picture_time(0, milliseconds(900));
  CHECK(wall.lead() <= ChangeLead::longest_drawing + milliseconds(5) + ChangeLead::margin);
  wall.change(milliseconds(2), milliseconds(20));
  CHECK(wall.lead() == milliseconds(22) + ChangeLead::margin);
}

TEST_CASE("answers to older changes, of others, or twice do not count", "[director]") {
  MeasuredWall wall(2);
  wall.change(milliseconds(2), milliseconds(10));
  const Nanos before = wall.lead();
  wall.answer(0, milliseconds(2), milliseconds(70));  // twice
  CHECK(wall.lead() == before);
  wall->take(0, {1, 0, at_ms(5000).since_epoch.count()});  // of an epoch that has passed
  CHECK(wall.lead() == before);
  wall->sent(9, at_ms(2000), {0});
  const std::int64_t late_ns = at_ms(2070).since_epoch.count();
  wall->take(1, {9, late_ns, late_ns});  // joined after the change was sent
  CHECK(wall.lead() == before);
  wall->take(0, {9, late_ns, late_ns});
  CHECK(wall.lead() > before);
}

TEST_CASE("sound and releases need a longer lead", "[director]") {
  MeasuredWall wall(2);
  for (int i = 0; i < 60; ++i) wall.change(milliseconds(1), milliseconds(5));
  CHECK(wall.lead({.has_sound = true}) == ChangeLead::shortest_lead_with_sound);
  wall->set_round_trip(0, milliseconds(40));
  CHECK(wall.lead({.released = true}) >= wall.lead() + milliseconds(40));
}

TEST_CASE("releases go out as early as the farthest panel's round trip asks for", "[director]") {
  MeasuredWall wall(3);
  wall->set_round_trip(0, std::chrono::microseconds(60));
  CHECK(wall->release_lead() < milliseconds(4));
  wall->set_round_trip(1, milliseconds(40));
  CHECK(wall->release_lead() >= milliseconds(40));
  CHECK(wall->release_lead() < milliseconds(50));
  wall->set_round_trip(2, std::chrono::seconds(60));  // a broken measurement
  CHECK(wall->release_lead() < std::chrono::seconds(1));
  wall->leave(2);
  wall->leave(1);
  CHECK(wall->release_lead() < milliseconds(4));
}

TEST_CASE("a release adds its own way to the lead", "[director]") {
  ChangeLead lead(1);
  lead.join(0);
  lead.set_round_trip(0, milliseconds(20));
  // Delivery 5 + 10, drawing 30, margin 12.
  CHECK(lead.lead({}) == milliseconds(57));
  // The panel's answer 10, sending the release 2, and the release's own lead 3 + 20.
  ChangeLead::Use released;
  released.released = true;
  CHECK(lead.release_lead() == milliseconds(23));
  CHECK(lead.lead(released) == milliseconds(57 + 12 + 23));
}
