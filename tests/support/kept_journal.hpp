// A show's journal in memory, and the file that follows it.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "player/director/log/journal.hpp"
#include "sync/base/handle.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tilewall::test {

struct KeptJournal {
  TemporaryFolder folder;
  UniqueFd memory{director::JournalMemory::make()};
  std::filesystem::path file = folder / director::journal_file;

  [[nodiscard]] std::string text() const {
    const director::JournalMemory kept(memory.get());
    return kept.text(kept.range());
  }
  [[nodiscard]] std::string file_text() const {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};

}  // namespace tilewall::test
