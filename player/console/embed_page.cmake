# Writes OUTPUT, a C++ source with the files of FOLDER as page_files(). Run as a script: cmake -D ... -P.
file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*.html ${FOLDER}/*.css ${FOLDER}/*.js ${FOLDER}/*.svg)
list(SORT files)
set(types_html "text/html; charset=utf-8")
set(types_css "text/css; charset=utf-8")
set(types_js "text/javascript; charset=utf-8")
set(types_svg "image/svg+xml")
set(arrays "")
set(rows "")
set(number 0)
foreach(name IN LISTS files)
  file(READ ${FOLDER}/${name} data HEX)
  string(LENGTH "${data}" digits)
  math(EXPR bytes "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" data "${data}")
  string(APPEND arrays "constexpr char file_${number}[] =\n    \"${data}\";\n")
  get_filename_component(extension ${name} LAST_EXT)
  string(SUBSTRING ${extension} 1 -1 extension)
  string(APPEND rows "    {\"/${name}\", \"${types_${extension}}\", {file_${number}, ${bytes}}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Generated from the console's page.
#include \"player/console/page_files.hpp\"

#include <algorithm>
#include <iterator>

namespace tilewall::console {
namespace {

${arrays}
constexpr PageFile all_files[] = {
${rows}};

}  // namespace

std::span<const PageFile> page_files() noexcept { return all_files; }

const PageFile* find_page_file(std::string_view path) noexcept {
  if (path == \"/\") path = \"/index.html\";
  const auto* const found = std::ranges::find(all_files, path, &PageFile::path);
  return found == std::end(all_files) ? nullptr : found;
}

}  // namespace tilewall::console
")
