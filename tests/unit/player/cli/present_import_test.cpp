// tilewall present import, run as users run it.

#include <catch2/catch.hpp>
#include <fstream>

#include "sync/base/file.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;

TEST_CASE("an imported show names its inputs from the folder in which it is written",
          "[present][cli]") {
  const test::TemporaryFolder folder;
  const std::filesystem::path old = folder / "old";
  std::filesystem::create_directories(old);
  std::filesystem::create_directories(folder / "shows/new");
  std::ofstream(old / "a.cues") << "BEGINCUE CueName=a LoadMovie=movies/a.sm ENDCUE\n"
                                   "BEGINCUE CueName=b LoadMovie=/far/b.sm ENDCUE\n"
                                   "BEGINCUE CueName=c LoadMovie=tilewall://host/c ENDCUE\n";
  const auto import = [&](std::vector<std::string> args) {
    args.insert(args.begin(),
                {test::program_path("tilewall"), "present", "import", (old / "a.cues").string()});
    return run_program(args);
  };
  const auto inputs = [](const std::string& show) {
    std::vector<std::string> found;
    for (std::size_t at = show.find("input = "); at != std::string::npos;
         at = show.find("input = ", at + 1))
      found.push_back(show.substr(at + 9, show.find('"', at + 9) - at - 9));
    return found;
  };
  const ProgramResult printed = import({});
  CHECK(printed.exit_code == 0);
  CHECK(printed.err.empty());
  CHECK(inputs(printed.out) ==
        std::vector<std::string>{"movies/a.sm", "/far/b.sm", "tilewall://host/c"});
  const std::filesystem::path written = folder / "shows/new/a.toml";
  const ProgramResult result = import({"-o", written.string()});
  CHECK(result.exit_code == 0);
  CHECK(result.out.empty());
  CHECK(inputs(read_text_file(written, 10'000)) ==
        std::vector<std::string>{"../../old/movies/a.sm", "/far/b.sm", "tilewall://host/c"});
}
