// The files of the console's page, which are compiled into the program.
//
// Threads: everything is constant.
#pragma once

#include <span>
#include <string_view>

namespace tilewall::console {

struct PageFile {
  std::string_view path;  ///< "/style.css"
  std::string_view type;  ///< "text/css"
  std::string_view data;
};

/// All files; generated from the folder page/.
[[nodiscard]] std::span<const PageFile> page_files() noexcept;

/// The file at that path of the page; "/" is its index.html. Null where there is none.
[[nodiscard]] const PageFile* find_page_file(std::string_view path) noexcept;

}  // namespace tilewall::console
