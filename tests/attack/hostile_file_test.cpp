// Foreign files that have taken over their reader reach nothing (sync/base/sandbox.hpp).

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "player/movie/frames/image_reader.hpp"
#include "player/sound/sound_reader.hpp"
#include "render/readers/volume_file.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/handle.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using test::ScopedEnvironment;
using test::TemporaryFolder;

namespace {

/// A descriptor that exec does not close, with a number that readers have no use for.
UniqueFd high_descriptor() {
  const UniqueFd low(::open("/etc/passwd", O_RDONLY));
  constexpr int least = 500;
  return UniqueFd(::fcntl(low.get(), F_DUPFD, least));
}

/// A folder with foreign files, a secret beside it, and what a careless parent would pass on.
class HostileFile {
 public:
  HostileFile() {
    std::filesystem::create_directory(folder_ / "volumes");
    std::ofstream(folder_ / "secret") << "secret\n";
    std::ofstream(file()) << "NRRD0004\n";
  }

  [[nodiscard]] std::filesystem::path file() const { return folder_ / "volumes" / "file"; }

 private:
  const TemporaryFolder folder_;
  const UniqueFd open_ = high_descriptor();
  const ScopedEnvironment folder_name_{"TILEWALL_TEST_FOLDER", folder_.path().string()};
  const ScopedEnvironment descriptor_{"TILEWALL_TEST_DESCRIPTOR", std::to_string(open_.get())};
  const ScopedEnvironment secret_{"TILEWALL_SECRET_FILE", "0123"};
  const ScopedEnvironment preload_{"LD_PRELOAD", test::preload_path(TILEWALL_HOSTILE_FILE)};
};

}  // namespace

TEST_CASE("a volume that takes over its reader reaches nothing", "[attack]") {
  const HostileFile hostile;
  try {
    static_cast<void>(render::VolumeFile::open(hostile.file().string()));
    FAIL("the reader answered in order");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) == "reached: nothing");
  }
}

namespace {

/// Writes a header of 2 x 2 x 2 voxels, and the file of its voxels.
void write_volume(const std::filesystem::path& header, const std::string& data) {
  std::ofstream(header.parent_path() / data) << "12345678";
  std::ofstream(header) << "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\n"
                        << "encoding: raw\ndata file: " << data << "\n";
}

}  // namespace

TEST_CASE("a header that names a file outside its folder is refused with the remedy", "[attack]") {
  const TemporaryFolder folder;
  const auto in = folder / "in";
  std::filesystem::create_directory(in);
  const auto header = in / "volume.nhdr";
  write_volume(header, "in.raw");
  CHECK(render::VolumeFile::open(header.string()).info().size.x == 2);
  write_volume(header, "../out.raw");
  CHECK_THROWS_WITH(
      render::VolumeFile::open(header.string()),
      (in / "../out.raw").string() +
          ": expected a readable file, found Permission denied (its reader sees the folder " +
          in.string() + " alone: put all files of the volume there)");
}

TEST_CASE("a movie that takes over its decoder reaches nothing", "[attack]") {
  const HostileFile hostile;
  const TemporaryFolder answers;
  ChildOptions options;
  options.output = answers / "answer";
  options.isolated = true;
  const pid_t child = start_program(
      {own_program("tilewall-decoder").string(), "--probe", hostile.file().string()}, options);
  CHECK(wait_for(child, std::chrono::seconds(60)).exit_code == exit_bad_input);
  CHECK(read_text_file(options.output, 4096) == "{\"error\": \"reached: nothing\"}\n");
}

TEST_CASE("a movie that takes over its import or its description reaches nothing", "[attack]") {
  const HostileFile hostile;
  const auto movie = (hostile.file().parent_path() / "movie").string();
  std::ofstream(movie) << "no volume\n";
  const TemporaryFolder answers;
  const std::string tilewall = own_program("tilewall").string();
  const auto output = (answers / "movie").string();
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{tilewall, "import", movie, "--output", output},
                                             {tilewall, "info", movie},
                                             {tilewall, "info", "--verify", movie}}) {
    ChildOptions options;
    options.output = answers / "answer";
    std::filesystem::remove(options.output);
    const pid_t child = start_program(command, options);
    CHECK(wait_for(child, std::chrono::seconds(60)).exit_code == exit_failed);
    CHECK_THAT(read_text_file(options.output, 4096),
               Catch::StartsWith("{\"error\": \"reached: nothing\"}\n"));
  }
  CHECK_FALSE(std::filesystem::exists(output));
}

TEST_CASE("a movie that takes over the reader of its sound reaches nothing", "[attack]") {
  const HostileFile hostile;
  CHECK_THROWS_WITH(sound::SoundReader(hostile.file(), "movie"), "reached: nothing");
}

TEST_CASE("an image that takes over its reader reaches nothing", "[attack]") {
  const HostileFile hostile;
  movie::ImageReader reader;
  CHECK(reader.read_info(hostile.file()).size_px ==
        SizePx{1, 1});  // the width tells what it reached
}

TEST_CASE("an image that crashes its reader is refused, and the next one is read", "[attack]") {
  const TemporaryFolder folder;
  const auto file = folder / "image";
  std::ofstream(file) << "text";
  movie::ImageReader reader;
  {
    const HostileFile hostile;
    const ScopedEnvironment crash("TILEWALL_TEST_CRASH", "1");
    CHECK_THROWS_WITH(
        reader.read_info(file),
        file.string() + ": expected an image, found one that crashes its reader, or hangs it");
    CHECK_FALSE(reader.decode(file, {movie::ImageKind::png, {1, 1}}, 0));
  }
  CHECK_THROWS_WITH(reader.read_info(file),
                    file.string() + ": expected a JPEG, PNG or TIFF image, found something else");
}
