#include "player/command/confined_import.hpp"

#include <filesystem>
#include <system_error>

#include "sync/base/busy_folder.hpp"
#include "sync/base/confined_call.hpp"

namespace tilewall::command {

std::string import_confined(const movie::ImportOptions& options,
                            const std::function<std::unique_ptr<movie::ProgressSink>()>& progress,
                            const std::function<std::string(const movie::ImportResult&)>& answer) {
  // The child may write into a folder only if it exists. What is wrong with it, the import tells.
  std::error_code error;
  const bool is_made = std::filesystem::create_directories(options.output, error);
  const BusyFolder note(options.output);  // the child may not write it
  try {
    return confined_call(
        movie::sandbox_to_import(options),
        [&](const std::stop_token& stop) {
          movie::ImportOptions confined = options;
          confined.stop = stop;
          const std::unique_ptr<movie::ProgressSink> sink = progress();
          return answer(movie::import_movie(confined, *sink));
        },
        options.stop);
  } catch (const std::exception&) {
    if (is_made) std::filesystem::remove(options.output, error);  // only when it is empty
    throw;
  }
}

}  // namespace tilewall::command
