// tilewall manual FOLDER: writes the manual pages and the completion of bash. The build runs it;
// the installation takes what it wrote. Not in --help, whose readers have no use for it.
#include <filesystem>
#include <memory>
#include <string>

#include "player/cli/command.hpp"
#include "player/cli/manual_pages.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall {
namespace {

namespace fs = std::filesystem;

int write_manual(const CLI::App& app, const fs::path& folder) {
  const fs::path pages = folder / "man1";
  std::error_code error;
  fs::remove_all(pages, error);  // of commands that are no more
  fs::create_directories(pages, error);
  if (error) throw JobError(pages.string() + ": " + error.message());
  for (const ManualPage& page : manual_pages(app, program_version()))
    write_file_atomically(pages / (page.name + ".1"), page.text);
  write_file_atomically(folder / "tilewall.bash", bash_completion(app));
  return exit_done;
}

}  // namespace

void add_manual_command(CLI::App& app, CommandRun& run) {
  auto folder = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("manual", "Writes manual pages and the shell's completion into a folder");
  command->group("");
  command->add_option("FOLDER", *folder, "gets man1/ and tilewall.bash")->required();
  command->footer("Example: tilewall manual build/manual");
  command->callback(
      [folder, &app, &run] { run = [folder, &app] { return write_manual(app, *folder); }; });
}

}  // namespace tilewall
