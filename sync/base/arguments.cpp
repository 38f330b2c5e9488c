#include "sync/base/arguments.hpp"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

#include "sync/base/error.hpp"

namespace tilewall {

namespace {

constexpr std::size_t most_note_bytes = 64 * 1024;
constexpr std::size_t shown_id_bytes = 6;

std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

/// The build id in ELF notes. A note is a header, a name and a description, the last two padded to
/// 4 bytes.
std::string build_among(std::string_view notes) {
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data(), sizeof note);
    const std::size_t at = sizeof note + padded(note.n_namesz);
    if (at > notes.size() || note.n_descsz > notes.size() - at) return "";
    const bool is_id = note.n_type == NT_GNU_BUILD_ID &&
                       notes.substr(sizeof note, note.n_namesz) == std::string_view("GNU\0", 4);
    if (is_id) {
      std::string digits;
      for (const char byte : notes.substr(at, std::min<std::size_t>(note.n_descsz, shown_id_bytes)))
        for (const int half : {(byte >> 4) & 15, byte & 15}) digits += "0123456789abcdef"[half];
      return digits;
    }
    notes.remove_prefix(std::min(notes.size(), at + padded(note.n_descsz)));
  }
  return "";
}

}  // namespace

Arguments::Arguments(int argc, const char* const* argv) {
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (!name.starts_with("--") || i + 1 >= argc)
      throw InputError({name}, "", "pairs of --name and value", "");
    values_[name] = argv[i + 1];
  }
}

const std::string& Arguments::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw InputError({name}, "", "a value", "none");
  return found->second;
}

int Arguments::number(const std::string& name) const {
  const std::string& digits = text(name);
  int value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc{} || stop != end || value < 0 || value > 1'000'000'000)
    throw InputError({name}, "", "a number in [0, 1e9]", digits);
  return value;
}

const char* program_version() noexcept { return "tilewall " TILEWALL_VERSION; }

std::string build_of(const std::filesystem::path& program) {
  std::ifstream file(program, std::ios::binary);
  Elf64_Ehdr head = {};
  file.read(reinterpret_cast<char*>(&head), sizeof head);
  if (!file || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr))
    return "";
  std::vector<Elf64_Phdr> segments(head.e_phnum);
  file.seekg(static_cast<std::streamoff>(head.e_phoff));
  file.read(reinterpret_cast<char*>(segments.data()),
            static_cast<std::streamsize>(segments.size() * sizeof(Elf64_Phdr)));
  for (const Elf64_Phdr& segment : segments) {
    if (!file) return "";
    if (segment.p_type != PT_NOTE || segment.p_filesz > most_note_bytes) continue;
    std::string notes(segment.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    file.read(notes.data(), static_cast<std::streamsize>(notes.size()));
    if (std::string id = build_among(notes); !id.empty()) return id;
  }
  return "";
}

bool prints_version(int argc, const char* const* argv) {
  if (argc != 2 || std::string_view(argv[1]) != "--version") return false;
  std::puts(program_version());
  if (const std::string build = build_of("/proc/self/exe"); !build.empty())
    std::printf("build %s\n", build.c_str());
  return true;
}

namespace {

/// Parses digits only, because from_chars would also accept a sign.
std::optional<std::int64_t> parse_number(std::string_view text) noexcept {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::int64_t value = 0;
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

}  // namespace

std::optional<WholeNumberRange> parse_number_range(std::string_view text) noexcept {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) {
    const auto one = parse_number(text);
    if (!one) return std::nullopt;
    return WholeNumberRange{one, one};
  }
  const std::string_view before = text.substr(0, dash);
  const std::string_view after = text.substr(dash + 1);
  const WholeNumberRange range{parse_number(before), parse_number(after)};
  const bool both_parse =
      (range.first || before.empty()) && (range.last || after.empty()) && text.size() > 1;
  if (!both_parse || (range.first && range.last && *range.last < *range.first)) return std::nullopt;
  return range;
}

}  // namespace tilewall
