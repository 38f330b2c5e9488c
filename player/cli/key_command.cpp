// tilewall key: makes the wall's key, by which its hosts authenticate each other.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "net/auth_key.hpp"
#include "player/cli/commands.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/printed_line.hpp"

namespace tilewall::cli {
namespace {

int run_key_new(const std::string& file) {
  const UniqueFd fd(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (fd.empty())
    throw InputError({file}, "", "a file that can be made and is not there yet",
                     std::strerror(errno));
  const std::string secret = net::random_secret_hex() + "\n";
  const ssize_t written =
      retry_eintr([&] { return ::write(fd.get(), secret.data(), secret.size()); });
  if (written != static_cast<ssize_t>(secret.size()) || ::fsync(fd.get()) != 0) {
    const int error = errno;
    ::unlink(file.c_str());
    throw JobError(fmt::format("{}: cannot be written: {}", file, std::strerror(error)));
  }
  print_line(stdout, "{}: a new key; copy it to every host of the wall, readable by its user alone",
             file);
  return exit_done;
}

}  // namespace

void add_key_command(CLI::App& app, command::CommandRun& run) {
  const auto file = std::make_shared<std::string>();
  CLI::App* const command = app.add_subcommand("key", "Makes the wall's key");
  CLI::App* const made = command->add_subcommand("new", "Writes a random key to a new file");
  made->add_option("FILE", *file, "the file; one that is there stays as it is")->required();
  command->require_subcommand(1);
  for (CLI::App* const shown : {command, made}) shown->footer("Example: tilewall key new wall.key");
  made->callback([file, &run] { run = [file] { return run_key_new(*file); }; });
}

}  // namespace tilewall::cli
