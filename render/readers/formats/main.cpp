// Program tilewall-volume-reader FILE SOCKET MEMORY [--beneath FOLDER PATH | MORE...]. It has a
// foreign file open for the process that started it (ReaderProcess), answers questions from the
// socket, and writes voxels to the shared memory. SOCKET, MEMORY and FOLDER are inherited
// descriptors. It opens no file outside of FOLDER, whose path is PATH, or else of the folder of the
// file and the folders MORE, where other files of its series lie.
//
// Threads: one.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/readers/formats/element.hpp"
#include "render/readers/formats/file_root.hpp"
#include "render/readers/formats/volume_source.hpp"
#include "sync/base/check.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/process.hpp"
#include "sync/base/sandbox.hpp"

namespace {

using namespace tilewall;
using Json = nlohmann::json;

class Reader {
 public:
  Reader(std::string file, int memory_fd, const Confinement& confinement)
      : file_(std::move(file)), memory_fd_(memory_fd), confinement_(confinement) {}

  Json answer(const Json& question) {
    try {
      return question.at("do") == "open" ? open(question) : read(question);
    } catch (const render::BeyondFloat& error) {
      return {{"error", fmt::format("{}: {}", file_, error.what())}};
    } catch (const InputError& error) {
      return {{"error", with_reason(error.what())}};
    } catch (const std::bad_alloc&) {
      return {{"error", fmt::format("{}: memory: expected a volume whose pieces fit {} MiB, found "
                                    "a larger one",
                                    file_, memory_bytes_ >> 20)}};
    } catch (const std::length_error&) {
      return {{"error",
               fmt::format("{}: size: expected one that fits memory, found a larger one", file_)}};
    } catch (const Json::exception&) {
      return {
          {"error",
           fmt::format("{}: expected JSON with fields of known types, found other types", file_)}};
    } catch (const std::exception& error) {
      return {{"error", fmt::format("{}: {}", file_, error.what())}, {"input", false}};
    }
  }

 private:
  Json open(const Json& question) {
    memory_bytes_ = question.at("memory_bytes").get<std::uint64_t>();
    read_s_ = question.at("read_s").get<double>();
    limit_memory(memory_bytes_);
    allow_cpu_time(question.at("open_s").get<double>());
    render::FileRoot& files = render::FileRoot::of_process();
    files.watch(file_);
    source_ = open_volume_source(file_, render::volume_options_from_json(question.at("options")));
    render::VolumeInfo info = source_->info();
    if (const std::string missing = missing_confinement(confinement_); !missing.empty())
      info.notes.push_back(fmt::format("this host's kernel gives its reader no {}", missing));
    Json answer = to_json(info);
    answer["other_files"] = files.others();
    return {{"info", std::move(answer)}};
  }

  /// A header may name a file that lies elsewhere, which this process may not open.
  [[nodiscard]] std::string with_reason(std::string line) const {
    const std::string name = line.substr(0, line.find(": expected a readable file"));
    // Landlock bounds what is opened, and access() tells what the user may open.
    if (confinement_.files && line.ends_with(std::strerror(EACCES)) &&
        ::access(name.c_str(), R_OK) == 0)
      line +=
          fmt::format(" (its reader sees the folder {} alone: put all files of the volume there)",
                      folders_to_read(file_).front().string());
    return line;
  }

  Json read(const Json& question) {
    TW_CHECK(source_ != nullptr);
    const int timestep = question.at("timestep").get<int>();
    const render::GridBox box = {question.at("begin").get<std::array<int, 3>>(),
                                 question.at("end").get<std::array<int, 3>>()};
    if (voxels_.empty()) map();
    const render::VolumeInfo& info = source_->info();
    TW_CHECK(box.size().voxels() * static_cast<std::size_t>(bytes_of(info.type)) <= voxels_.size());
    allow_cpu_time(read_s_);
    const int grid = question.at("grid").get<int>();
    const std::uint64_t began_ns = computed_ns();
    const bool slices = grid == 0 && box.size().x == info.size.x && box.size().y == info.size.y;
    if (slices)
      source_->read(timestep, box.begin[2], box.end[2], voxels_.data());
    else
      source_->read_box(grid, timestep, box, voxels_.data());
    return {{"done", true}, {"computed_ns", computed_ns() - began_ns}};
  }

  /// User time of this process so far. System time is left out, as it is mostly reading files.
  static std::uint64_t computed_ns() {
    rusage usage = {};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_utime.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(usage.ru_utime.tv_usec) * 1000;
  }

  void map() {
    struct stat status = {};
    check_sys(::fstat(memory_fd_, &status), "fstat");
    const auto bytes = static_cast<std::size_t>(status.st_size);
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd_, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    voxels_ = {static_cast<std::byte*>(memory), bytes};
  }

  const std::string file_;
  const int memory_fd_;
  const Confinement confinement_;
  std::uint64_t memory_bytes_ = 0;
  double read_s_ = 0;
  render::VolumeSourcePtr source_;
  std::span<std::byte> voxels_;
};

// Answers questions until the other side closes the socket.
void serve(Reader& reader, int socket) {
  std::string line;
  std::array<char, 65536> piece;
  for (;;) {
    const ssize_t got = retry_eintr([&] { return ::recv(socket, piece.data(), piece.size(), 0); });
    if (got <= 0) return;
    line.append(piece.data(), static_cast<std::size_t>(got));
    if (line.back() != '\n') continue;
    const std::string answer = json_text(reader.answer(Json::parse(line))) + "\n";
    line.clear();
    for (std::size_t sent = 0; sent < answer.size();) {
      const ssize_t count = retry_eintr(
          [&] { return ::send(socket, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL); });
      if (count <= 0) return;
      sent += static_cast<std::size_t>(count);
    }
  }
}

/// What may be read of a volume of this machine's own user: the folders of the file and of further
/// ones of its series, and the files to which links there lead.
std::vector<std::filesystem::path> places_to_read(const std::filesystem::path& file,
                                                  std::span<char* const> more_folders) {
  std::vector<std::filesystem::path> places;
  std::vector<std::filesystem::path> named = {file};
  named.insert(named.end(), more_folders.begin(), more_folders.end());
  for (const std::filesystem::path& one : named)
    for (const auto& found : {folders_to_read(one), linked_files(one)})
      places.insert(places.end(), found.begin(), found.end());
  return places;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return tilewall::exit_bad_input;
  tilewall::allow_open_files();
  ::setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);  // files are only read; locks may fail
  ::setenv("HDF5_PLUGIN_PRELOAD", "::", 1);       // loads no plugins
  const std::string file = argv[1];
  const std::span<char* const> more(argv + 4, static_cast<std::size_t>(argc - 4));
  const bool is_served = more.size() == 3 && std::string_view(more[0]) == "--beneath";
  if (is_served) render::FileRoot::of_process().confine(UniqueFd(std::atoi(more[1])), more[2]);
  Reader reader(file, std::atoi(argv[3]),
                enter_sandbox({.readable = is_served ? std::vector<std::filesystem::path>{more[2]}
                                                     : places_to_read(file, more)}));
  serve(reader, std::atoi(argv[2]));
  // Runs no destructors: a library with a damaged file may crash in its own clean-up.
  std::_Exit(tilewall::exit_done);
}
