// tilewall manual FOLDER: writes the manual pages and the completion of bash. The build runs it,
// and the installation copies its files. --help hides it, because users do not need it.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "player/cli/commands.hpp"
#include "player/cli/help/help.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::cli {
namespace {

namespace fs = std::filesystem;

bool is_own_page(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  std::error_code error;
  return entry.symlink_status(error).type() == fs::file_type::regular &&
         (name == "tilewall.1" || (name.starts_with("tilewall-") && name.ends_with(".1")));
}

/// Removes the pages of commands that no longer exist. The folder may be one of a system, such as
/// /usr/share/man/man1, so the pages of other programs stay.
void remove_own_pages(const fs::path& pages) {
  std::vector<fs::path> own;
  for (const fs::directory_entry& entry : fs::directory_iterator(pages))
    if (is_own_page(entry)) own.push_back(entry.path());
  for (const fs::path& page : own) fs::remove(page);
}

int write_manual(const CLI::App& app, const fs::path& folder) {
  const fs::path pages = folder / "man1";
  try {
    fs::create_directories(pages);
    remove_own_pages(pages);
  } catch (const fs::filesystem_error& error) {
    throw JobError(pages.string() + ": " + error.code().message());
  }
  for (const ManualPage& page : manual_pages(app, program_version()))
    write_file_atomically(pages / (page.name + ".1"), page.text);
  write_file_atomically(folder / "tilewall.bash", bash_completion(app));
  return exit_done;
}

}  // namespace

void add_manual_command(CLI::App& app, command::CommandRun& run) {
  auto folder = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("manual", "Writes manual pages and the shell's completion into a folder");
  command->group("");
  command->add_option("FOLDER", *folder, "gets man1/ and tilewall.bash")->required();
  command->footer("Example: tilewall manual build/manual");
  command->callback(
      [folder, &app, &run] { run = [folder, &app] { return write_manual(app, *folder); }; });
}

}  // namespace tilewall::cli
