// A small volume, a flight around it, and the command that renders it.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "sync/base/file.hpp"
#include "tests/integration/ball_volume.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tilewall::test {

inline const std::string flight_wall = source_path("tests/data/walls/two-by-one.toml");
inline const std::string first_camera =
    "eye = [30, -60, 25]\nlook_at = [11.5, 9.5, 7.5]\nup = [0, 0, 1]\nfov_deg = 25\n";

/// A volume, and a flight of some seconds around it, with 24 frames a second.
class Flight {
 public:
  explicit Flight(int seconds) {
    write_npy(folder_ / "ball.npy", 0);
    std::ofstream(path()) << "volume = \"ball.npy\"\nduration_s = " << seconds << "\n[[key]]\n"
                          << first_camera << "[[key]]\neye = [-40, -40, 30]\n"
                          << "look_at = [11.5, 9.5, 7.5]\n";
  }
  [[nodiscard]] std::string path() const { return at("flight.toml"); }
  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }

  [[nodiscard]] std::vector<std::string> command(const std::string& movie,
                                                 const std::vector<std::string>& more = {},
                                                 const std::string& wall = flight_wall) const {
    std::vector<std::string> words = {
        program_path("tilewall"), "render", path(), "-o", at(movie), "--wall", wall, "--fps", "24"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  [[nodiscard]] ProgramResult render(const std::string& movie,
                                     const std::vector<std::string>& more = {},
                                     const std::string& wall = flight_wall) const {
    return run_program(command(movie, more, wall), std::chrono::seconds(60));
  }

 private:
  const TemporaryFolder folder_;
};

/// The names and contents of all files of a movie.
inline std::map<std::string, std::string> files_of_movie(const std::filesystem::path& movie) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(movie))
    files[entry.path().filename().string()] = read_text_file(entry.path(), 1 << 24);
  return files;
}

/// The picture of frame 0 of a movie that these options render.
inline TestPicture first_frame(const Flight& flight, const char* movie,
                               std::vector<std::string> more) {
  more.insert(more.end(), {"--lossless", "zstd"});
  const ProgramResult rendered = flight.render(movie, more);
  CAPTURE(rendered.err);
  REQUIRE(rendered.exit_code == 0);
  const std::string frames = flight.at(movie) + "-frames";
  REQUIRE(
      run_program({program_path("tilewall"), "export", flight.at(movie), "-o", frames}).exit_code ==
      0);
  return read_png(std::filesystem::path(frames) / "frame-000000.png");
}

}  // namespace tilewall::test
