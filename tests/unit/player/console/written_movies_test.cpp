// How far movies are that are written now, as browsers learn it.

#include "player/console/written_movies.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "sync/base/busy_folder.hpp"
#include "sync/base/file.hpp"
#include "sync/base/handle.hpp"
#include "tests/support/run_folder.hpp"

using namespace tilewall;
using namespace tilewall::console;
using namespace tilewall::test;
using Json = nlohmann::json;

TEST_CASE("browsers learn how far movies are that are written now", "[console]") {
  const RunFolder run;
  const TemporaryFolder movie;
  boost::asio::io_context io;
  int changes = 0;
  WrittenMovies movies(io, [&] { ++changes; });
  CHECK(movies.json() == Json::array());
  CHECK(changes == 0);

  std::optional<BusyFolder> job(movie.path());
  movies.look();
  CHECK(movies.json() == Json::array());  // it has not told yet
  const auto tell = [&](const std::string& text) {
    write_file_atomically(movie / "status.json", text);
    movies.look();
  };
  tell(R"({"done": 3, "total": 600, "unit": "frames", "bytes": 9, "per_s": 0.5, "left_s": 1194})");
  CHECK(movies.json() == Json{{{"movie", movie.path().string()},
                               {"done", 3},
                               {"total", 600},
                               {"unit", "frames"},
                               {"per_s", 0.5},
                               {"left_s", 1194.0},
                               {"picture", nullptr}}});
  tell(R"({"done": 3, "total": 0, "unit": "rows", "bytes": 9, "per_s": 0})");
  CHECK(movies.json().at(0).at("left_s").is_null());
  CHECK(changes == 2);

  write_file_atomically(movie / "status.png", "a picture");
  movies.look();
  const auto picture = movies.json().at(0).at("picture").get<std::string>();
  const std::string name = picture.substr(0, picture.find('?'));
  CHECK(name.ends_with(".png"));
  char text[16] = {};
  CHECK(::read(movies.open_picture(name).get(), text, sizeof text) == 9);
  CHECK(std::string(text) == "a picture");
  CHECK(movies.open_picture("0123456789abcdef.png").empty());
  CHECK(movies.open_picture("../status.png").empty());
  std::filesystem::remove(movie / "status.png");
  std::filesystem::create_symlink("status.json", movie / "status.png");
  CHECK(movies.open_picture(name).empty());
  movies.look();
  CHECK(movies.json().at(0).at("picture").is_null());
  std::filesystem::remove(movie / "status.png");
  REQUIRE(::mkfifo((movie / "status.png").c_str(), 0600) == 0);
  CHECK(movies.open_picture(name).empty());
  for (const char* const wrong : {"", "[]", R"({"done": -1, "total": 9, "unit": "x", "per_s": 1})",
                                  R"({"done": 1, "total": 9, "unit": 5, "per_s": 1})"}) {
    CAPTURE(wrong);
    tell(wrong);
    CHECK(movies.json() == Json::array());
  }
  tell(R"({"done": 3, "total": 0, "unit": "rows", "bytes": 9, "per_s": 0})");
  CHECK(movies.json().size() == 1);
  job.reset();
  movies.look();
  CHECK(movies.json() == Json::array());
}

TEST_CASE("what is no status of a movie is not read", "[console]") {
  const RunFolder run;
  const TemporaryFolder movie;
  const TemporaryFolder elsewhere;
  boost::asio::io_context io;
  WrittenMovies movies(io, [] {});
  const BusyFolder job(movie.path());
  const std::string status = R"({"done": 3, "total": 0, "unit": "rows", "bytes": 9, "per_s": 0})";
  const auto file = movie / "status.json";
  const auto shown = [&] {
    movies.look();
    const std::size_t count = movies.json().size();
    std::filesystem::remove(file);
    return count;
  };

  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  {
    // It has a writer, so that a reader who waits for text would wait for ever.
    const UniqueFd writer(::open(file.c_str(), O_RDWR | O_CLOEXEC));
    CHECK(shown() == 0);
  }
  write_file_atomically(elsewhere / "status.json", status);
  std::filesystem::create_symlink(elsewhere / "status.json", file);
  CHECK(shown() == 0);
  std::filesystem::create_symlink("/dev/zero", file);
  CHECK(shown() == 0);
  std::filesystem::create_directory(file);
  CHECK(shown() == 0);
  write_file_atomically(file, status + std::string(2 << 20, ' '));
  CHECK(shown() == 0);
  write_file_atomically(file, "");
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40);  // a hole of a terabyte
  CHECK(shown() == 0);
  write_file_atomically(file, status);
  CHECK(shown() == 1);
}
