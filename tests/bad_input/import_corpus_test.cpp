// Every damaged image and movie of the data folder: imported, or refused in one line.

#include <catch2/catch.hpp>

#include "player/movie/convert/import_job.hpp"
#include "sync/base/error.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using tilewall::test::TemporaryFolder;

namespace {

// "" when the file was imported, else the line that refused it.
std::string import_or_refusal(const std::filesystem::path& file,
                              const std::filesystem::path& output) {
  ImportOptions options;
  options.inputs = {file.string()};
  options.output = output;
  SilentProgress silent;
  try {
    import_movie(options, silent);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("every damaged image and movie is read or refused in one line", "[import][bad-input]") {
  const std::filesystem::path corrupt = test::shared_data("corrupt");
  if (corrupt.empty()) return;
  for (const char* kind : {"jpeg", "png", "tiff", "exr", "mp4"})
    for (const auto& entry : std::filesystem::directory_iterator(corrupt / kind)) {
      CAPTURE(entry.path().string());
      const TemporaryFolder folder;
      const std::string line = import_or_refusal(entry.path(), folder / "movie");
      CHECK(line.find('\n') == std::string::npos);
      if (line.empty()) {
        CHECK(load_manifest(folder / "movie").complete);
      } else {
        CHECK(line.find(entry.path().string()) != std::string::npos);
        CHECK_FALSE(std::filesystem::exists(folder / "movie"));
      }
    }
}
