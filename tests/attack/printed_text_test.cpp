// Names of files and words of headers that would command the terminal of who looks at them: none of
// their control characters is printed, and they begin no line of their own.

#include <hdf5.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/serve_program.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;

namespace {

namespace fs = std::filesystem;

const std::string title_and_line = "a\x1b]0;owned\x07\nb";

/// Whether the text has nothing but letters and line ends.
bool is_harmless(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f;
  });
}

void check_one_line(const ProgramResult& result) {
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 2);
  CHECK(is_harmless(result.err));
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  CHECK(result.out.empty());
}

}  // namespace

TEST_CASE("a file's name commands no terminal", "[attack]") {
  const TemporaryFolder folder;
  const fs::path file = folder / (title_and_line + ".nrrd");
  check_one_line(run_program({tilewall_program, "info", file.string()}));
  std::ofstream(file) << "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n\n"
                         "12345678";
  const ProgramResult shown = run_program({tilewall_program, "info", file.string()});
  CAPTURE(shown.out, shown.err);
  CHECK(shown.exit_code == 0);
  CHECK(is_harmless(shown.out));
  CHECK(shown.out.find("\nb.nrrd") == std::string::npos);
  std::ofstream(file) << "NRRD0004\ntype: " << title_and_line << "\n";
  check_one_line(run_program({tilewall_program, "info", file.string()}));
  check_one_line(run_program({tilewall_program, "play", file.string(), "--headless", "--wall",
                              folder / (title_and_line + ".toml")}));
}

TEST_CASE("a name inside of a file commands no terminal, not even by way of a server", "[attack]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "names.h5";
  const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t sides[] = {4, 4, 4};
  const hid_t space = H5Screate_simple(3, sides, nullptr);
  H5Dclose(H5Dcreate2(id, title_and_line.c_str(), H5T_NATIVE_UCHAR, space, H5P_DEFAULT, H5P_DEFAULT,
                      H5P_DEFAULT));
  H5Sclose(space);
  H5Fclose(id);
  const ProgramResult local = run_program({tilewall_program, "info", file.string()});
  ServeProgram server(folder.path());
  const ProgramResult remote =
      run_program({tilewall_program, "info", url_of(server.port(), "names.h5")});
  for (const ProgramResult& result : {local, remote}) {
    CAPTURE(result.out, result.err);
    CHECK(result.exit_code == 0);
    CHECK(is_harmless(result.out));
    CHECK(result.out.find("owned") != std::string::npos);
    CHECK(result.out.find("\nb") == std::string::npos);
  }
}
