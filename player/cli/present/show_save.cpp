#include "player/cli/present/show_save.hpp"

#include "player/cli/source/input_name.hpp"
#include "player/cues/revision.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::cli {
namespace {

namespace fs = std::filesystem;

constexpr int most_attempts = 3;

}  // namespace

std::vector<std::string> save_show(const fs::path& file, const fs::path& to,
                                   std::vector<cues::CueEntry> changes) {
  const fs::path folder = fs::absolute(file).parent_path();
  if (fs::weakly_canonical(fs::absolute(to).parent_path()) != fs::weakly_canonical(folder))
    throw InputError({to.string()}, "",
                     "a file in " + folder.string() + ", to which the show's inputs are relative",
                     "another folder");
  for (cues::CueEntry& change : changes) {
    for (cues::RegionEntry& region : change.regions)
      for (std::string& input : region.inputs) input = input_from(input, folder);
    if (change.compare) change.compare->input = input_from(change.compare->input, folder);
  }
  // Somebody may edit the file at the same time, and their changes must not be lost.
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const std::string text = read_text_file(file, cues::max_show_bytes);
    cues::ShowFile show = cues::show_from_text(file, text);
    std::vector<std::string> lacking = cues::revise(show, changes);
    const std::string changed = cues::merged_text(text, show);
    if (read_text_file(file, cues::max_show_bytes) != text) continue;
    rewrite_file_atomically(to, changed);
    return lacking;
  }
  throw InputError({file.string()}, "", "a file that is not being written", "one that changes");
}

}  // namespace tilewall::cli
