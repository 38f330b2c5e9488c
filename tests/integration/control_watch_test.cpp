// Pictures of what the panels swapped, for clients that watch the wall.

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <map>
#include <optional>
#include <stdexcept>

#include "net/control/control_place.hpp"
#include "net/control/sealed_stream.hpp"
#include "net/socket.hpp"
#include "player/movie/codecs/jpeg_codec.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;

namespace {
namespace watch_test {

constexpr int watched_frames = 20;

struct Picture {
  Json json;
  std::vector<std::uint8_t> jpeg;
};

/// A movie in a loop on two panels.
class WatchedShow {
 public:
  WatchedShow() {
    write_numbered_movie(folder_ / "movie", pair_canvas_px, watched_frames);
    show_.emplace(folder_ / "movie", "two-by-one.toml");
  }
  [[nodiscard]] std::filesystem::path run_dir() const { return show_->run_dir(); }

 private:
  TemporaryFolder folder_;
  std::optional<ControlledShow> show_;
};

/// A client that watches, on a connection of its own.
class Watcher {
 public:
  explicit Watcher(const std::filesystem::path& run_dir)
      : stream_(connected(net::ControlPlace(run_dir))) {}

  /// Sends a request, and returns its answer. Pictures that come before it are kept.
  Json ask(const Json& request) {
    send(request);
    Json answer;
    REQUIRE(eventually([&] {
      take();
      for (const net::Message& message : received_) {
        Json json = Json::parse(message.text);
        json.at("type") == "picture" ? pictures_.push_back({json, message.blob})
                                     : answer.swap(json);
      }
      received_.clear();
      return !answer.is_null();
    }));
    return answer;
  }

  void send(const Json& request) {
    stream_.queue({request.dump(), {}});
    REQUIRE(stream_.write_some() == net::StreamStatus::open);
  }

  /// The pictures that have come until `enough` of them have.
  std::vector<Picture> pictures(const std::function<bool(const std::vector<Picture>&)>& enough,
                                std::chrono::milliseconds limit = std::chrono::seconds(10)) {
    static_cast<void>(eventually(
        [&] {
          take();
          for (const net::Message& message : received_)
            pictures_.push_back({Json::parse(message.text), message.blob});
          received_.clear();
          return enough(pictures_);
        },
        limit));
    return std::exchange(pictures_, {});
  }

 private:
  static constexpr net::MessageLimits limits = {.blob_bytes = 1u << 20};

  static net::SealedStream connected(const net::ControlPlace& place) {
    REQUIRE(eventually([&] { return place.exists() && !place.address().empty(); }));
    return net::SealedStream::client(
        net::try_connect_tcp(net::resolve(place.address(), "control.addr"),
                             std::chrono::seconds(10)),
        place.key(), limits);
  }

  void take() { REQUIRE(stream_.read_some(received_) == net::StreamStatus::open); }

  net::SealedStream stream_;
  std::vector<net::Message> received_;
  std::vector<Picture> pictures_;
};

/// Mean difference of a JPEG's channels from the part of a numbered frame that the panel shows.
double distance(const movie::RgbPixels& rgb, std::int64_t frame, const std::string& panel) {
  const TestPicture whole = numbered_picture(pair_canvas_px, frame);
  const int left = panel == "c0r0" ? 0 : pair_panel_px.width;
  double sum = 0;
  std::size_t at = 0;
  for (int y = 0; y < pair_panel_px.height; ++y)
    for (int x = 0; x < pair_panel_px.width; ++x)
      for (const int channel : {2, 1, 0})
        sum += std::abs(int{whole.view().pixel(left + x, y)[channel]} - int{rgb[at++]});
  return sum / static_cast<double>(at);
}

/// The frame that a picture looks most like.
std::int64_t frame_seen(const Picture& picture) {
  const auto rgb = movie::decode_jpeg(picture.jpeg, pair_panel_px);
  std::int64_t nearest = 0;
  for (std::int64_t frame = 1; frame < watched_frames; ++frame)
    if (distance(rgb, frame, picture.json.at("panel")) <
        distance(rgb, nearest, picture.json.at("panel")))
      nearest = frame;
  return nearest;
}

std::map<std::string, int> counts(const std::vector<Picture>& pictures) {
  std::map<std::string, int> counts;
  for (const Picture& picture : pictures) ++counts[picture.json.at("panel")];
  return counts;
}

/// Whether each panel has sent `count` pictures.
std::function<bool(const std::vector<Picture>&)> at_least(int count) {
  return [count](const std::vector<Picture>& pictures) {
    auto by_panel = counts(pictures);
    return by_panel["c0r0"] >= count && by_panel["c1r0"] >= count;
  };
}

bool never(const std::vector<Picture>& /*pictures*/) { return false; }

}  // namespace watch_test

using namespace watch_test;

}  // namespace

TEST_CASE("who watches gets what each panel swapped, in a pause once, and then no more",
          "[control]") {
  WatchedShow show;
  WallClient client(show.run_dir());
  Watcher watcher(show.run_dir());
  CHECK(watcher.ask({{"type", "watch"}, {"pictures", true}, {"id", "w"}}) ==
        Json{{"type", "done"}, {"id", "w"}});
  for (const Picture& picture : watcher.pictures(at_least(3))) {
    CAPTURE(picture.json.dump());
    CHECK(picture.json.at("size_px") == Json({160, 96}));
    CHECK(picture.json.at("damage") == "none");
    CHECK(frame_seen(picture) == picture.json.at("frame"));
  }

  // A pause: each panel sends its present picture, and then there is nothing new.
  REQUIRE(client.ask({{"type", "pause"}}).at("type") == "done");
  REQUIRE(client.ask({{"type", "seek"}, {"frame", 7}}).at("type") == "done");
  const auto shows_seven = [](const std::vector<Picture>& pictures) {
    std::map<std::string, bool> seven;
    for (const Picture& picture : pictures)
      seven[picture.json.at("panel")] = picture.json.at("frame") == 7;
    return seven["c0r0"] && seven["c1r0"];
  };
  const auto paused = watcher.pictures(shows_seven);
  REQUIRE(shows_seven(paused));
  CHECK(frame_seen(paused.back()) == 7);
  static_cast<void>(watcher.pictures(never, std::chrono::milliseconds(600)));
  CHECK(watcher.pictures(never, std::chrono::milliseconds(600)).empty());

  // A second watcher gets the same pictures at once, though nothing is swapped.
  Watcher second(show.run_dir());
  second.send({{"type", "watch"}, {"pictures", true}, {"bytes_per_s", 100'000}});
  const auto is_seven = [](const Picture& picture) { return picture.json.value("frame", 0) == 7; };
  const auto seen = [&](const std::vector<Picture>& pictures) {
    return std::ranges::count_if(pictures, is_seven) >= 2;
  };
  CHECK(seen(second.pictures(seen)));
  CHECK(seen(watcher.pictures(seen)));

  // Black is what the wall shows, so it is what a watcher sees.
  REQUIRE(client.ask({{"type", "blank"}, {"on", true}}).at("type") == "done");
  const auto black = watcher.pictures(at_least(1));
  REQUIRE(at_least(1)(black));
  for (const unsigned char value : movie::decode_jpeg(black.back().jpeg, pair_panel_px))
    REQUIRE(value < 4);

  CHECK(watcher.ask({{"type", "watch"}, {"pictures", false}}).at("type") == "done");
  CHECK(second.ask({{"type", "watch"}, {"pictures", false}}).at("type") == "done");
  REQUIRE(client.ask({{"type", "blank"}, {"on", false}}).at("type") == "done");
  REQUIRE(client.ask({{"type", "play"}}).at("type") == "done");
  // A picture may have been on its way when the panels were told to stop.
  static_cast<void>(watcher.pictures(never, std::chrono::milliseconds(600)));
  CHECK(watcher.pictures(never, std::chrono::milliseconds(600)).empty());
}

TEST_CASE("a watcher that does not read delays nobody, and panels that come back send again",
          "[control]") {
  WatchedShow show;
  WallClient client(show.run_dir());
  Watcher deaf(show.run_dir());
  deaf.send({{"type", "watch"}, {"pictures", true}, {"bytes_per_s", 100'000'000}});
  Watcher watcher(show.run_dir());
  REQUIRE(watcher.ask({{"type", "watch"}, {"pictures", true}}).at("type") == "done");
  for (int i = 0; i < 20; ++i) {
    CHECK(client.ask({{"type", "status"}}).at("type") == "status");
    CHECK(at_least(1)(watcher.pictures(at_least(1))));
  }
  const Json panel = client.ask({{"type", "status"}}).at("per_panel").at(1);
  REQUIRE(::kill(panel.at("pid").get<pid_t>(), SIGKILL) == 0);
  const auto is_back = [&] {
    return client.ask({{"type", "status"}}).at("per_panel").at(1).at("restarts") == 1 &&
           client.ask({{"type", "status"}}).at("per_panel").at(1).at("connected") == true;
  };
  REQUIRE(eventually(is_back));
  static_cast<void>(watcher.pictures(never, std::chrono::milliseconds(50)));
  CHECK(at_least(1)(watcher.pictures(at_least(1))));
}

TEST_CASE("requests to watch and about the wall are answered at once, or refused in one line",
          "[control]") {
  WatchedShow show;
  WallClient client(show.run_dir());
  const auto refusal = [&](Json request) {
    request["type"] = "watch";
    const Json answer = client.ask(request);
    CHECK(answer.at("type") == "refused");
    return answer.value("error", "");
  };
  CHECK(refusal({{"pictures", "yes"}}) == "watch: pictures: expected true or false, found \"yes\"");
  CHECK(refusal({{"pictures", true}, {"bytes_per_s", 1}}) ==
        "watch: bytes_per_s: expected a whole number from 10000 to 100000000, found 1");
  CHECK(refusal({{"pictures", true}, {"panel", "c0r0"}}).find("watch: panel") == 0);
  const Json wall = client.ask({{"type", "wall"}});
  CHECK(wall.at("type") == "wall");
  CHECK(wall.at("canvas_px") == Json({320, 96}));
  REQUIRE(wall.at("panels").size() == 2);
  CHECK(wall.at("panels").at(1).at("panel") == "c1r0");
  CHECK(wall.at("panels").at(1).at("canvas_px") == Json({160, 0, 160, 96}));
  CHECK(client.ask({{"type", "wall"}, {"panel", 1}}).at("type") == "refused");
}
