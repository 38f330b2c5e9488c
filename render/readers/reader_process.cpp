#include "render/readers/reader_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::render {
namespace {

constexpr std::size_t max_answer_bytes = std::size_t{256} << 20;  // fits ten million timesteps

}  // namespace

ReaderProcess::ReaderProcess(std::string file, const std::filesystem::path& beneath,
                             const std::vector<std::string>& more)
    : file_(std::move(file)) {
  memory_fd_ = UniqueFd(check_sys(
      ::memfd_create("tilewall-volume-slab", MFD_CLOEXEC | MFD_ALLOW_SEALING), "memfd_create"));
  ChildOptions options;
  options.inherited = {memory_fd_.get()};
  // A glob may begin with "~", which means this user's home.
  if (const char* home = std::getenv("HOME"); file_.starts_with('~') && home != nullptr)
    options.environment = {{"HOME", home}};
  UniqueFd folder;
  if (!beneath.empty()) {
    folder = UniqueFd(check_sys(::open(beneath.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC),
                                "open " + beneath.string()));
    options.inherited.push_back(folder.get());
  }
  const auto words = [&](int socket) {
    std::vector<std::string> all = {file_, fmt::format("{}", socket),
                                    fmt::format("{}", memory_fd_.get())};
    if (!beneath.empty()) {
      all.insert(all.end(), {"--beneath", fmt::format("{}", folder.get()), beneath.string()});
      return all;
    }
    std::set<std::string> folders;
    for (const std::string& name : more)
      folders.insert((std::filesystem::path(file_).parent_path() / name).parent_path().string());
    all.insert(all.end(), folders.begin(), folders.end());
    return all;
  };
  ReaderProgram reader = start_reader("tilewall-volume-reader", SOCK_STREAM, words, options);
  pid_ = reader.pid;
  socket_ = std::move(reader.socket);
}

ReaderProcess::~ReaderProcess() {
  if (!shared_.empty()) ::munmap(shared_.data(), shared_.size());
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  static_cast<void>(wait_for(pid_, std::chrono::seconds(1)));
}

void ReaderProcess::share(std::size_t bytes) {
  TW_CHECK(shared_.empty() && bytes > 0);
  check_sys(::ftruncate(memory_fd_.get(), static_cast<off_t>(bytes)), "ftruncate");
  check_sys(::fcntl(memory_fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), "F_ADD_SEALS");
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd_.get(), 0);
  if (memory == MAP_FAILED) throw_errno("mmap", errno);
  shared_ = {static_cast<std::byte*>(memory), bytes};
}

void ReaderProcess::throw_end(bool late, std::chrono::milliseconds limit) {
  const pid_t pid = std::exchange(pid_, 0);
  if (pid == 0) throw InputError({file_}, "", "a volume", "one whose reader has died");
  if (late) ::kill(pid, SIGKILL);
  const ChildEnd end = wait_for(pid, std::chrono::seconds(1));
  if (end.exit_code == 127)
    throw JobError(
        fmt::format("{}: cannot start tilewall-volume-reader, which lies beside the "
                    "program that reads volumes",
                    file_));
  throw InputError({file_}, "", "a volume",
                   late || end.signal == SIGXCPU
                       ? fmt::format("one that takes its reader longer than {:g} s",
                                     std::chrono::duration<double>(limit).count())
                       : fmt::format("one that crashes its reader ({} {})",
                                     end.signal != 0 ? "signal" : "exit code",
                                     end.signal != 0 ? end.signal : end.exit_code));
}

std::string ReaderProcess::read_line(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  std::string line;
  std::array<char, 65536> piece;
  while (line.size() < max_answer_bytes) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd wait = {socket_.get(), POLLIN, 0};
    const int ready = retry_eintr(
        [&] { return ::poll(&wait, 1, static_cast<int>(std::max<long>(left.count(), 0))); });
    if (check_sys(ready, "poll") == 0) throw_end(true, limit);
    const ssize_t got =
        retry_eintr([&] { return ::recv(socket_.get(), piece.data(), piece.size(), 0); });
    if (got <= 0) throw_end(false, limit);
    line.append(piece.data(), static_cast<std::size_t>(got));
    if (line.back() == '\n') return line;
  }
  throw_end(true, limit);
}

nlohmann::json ReaderProcess::ask(const nlohmann::json& question, std::chrono::milliseconds limit) {
  using Json = nlohmann::json;
  const std::string line = json_text(question) + "\n";
  const ssize_t sent =
      retry_eintr([&] { return ::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL); });
  if (sent != static_cast<ssize_t>(line.size())) throw_end(false, limit);
  Json answer = Json::parse(read_line(limit), nullptr, false);
  if (!answer.is_object()) throw_end(true, limit);
  const Json error = answer.value("error", Json());
  if (!error.is_string()) return answer;
  if (answer.value("input", true)) throw InputError(error.get<std::string>());
  throw JobError(error.get<std::string>());
}

}  // namespace tilewall::render
