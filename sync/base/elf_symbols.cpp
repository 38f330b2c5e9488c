#include "sync/base/elf_symbols.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace tilewall {

void ElfSymbols::open(const char* file) noexcept {
  close();
  const int fd = ::open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  struct stat status = {};
  if (::fstat(fd, &status) == 0 && status.st_size > 0) {
    const auto size = static_cast<std::uint64_t>(status.st_size);
    void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at != MAP_FAILED) {
      bytes_ = static_cast<const std::byte*>(at);
      size_ = size;
    }
  }
  ::close(fd);
  find_table();
}

void ElfSymbols::close() noexcept {
  if (bytes_ != nullptr) ::munmap(const_cast<std::byte*>(bytes_), size_);
  bytes_ = nullptr;
  size_ = symbols_offset_ = symbol_count_ = names_offset_ = names_bytes_ = 0;
}

template <typename T>
const T* ElfSymbols::part(std::uint64_t offset, std::uint64_t count) const noexcept {
  if (offset > size_ || count > (size_ - offset) / sizeof(T) || offset % alignof(T) != 0)
    return nullptr;
  return reinterpret_cast<const T*>(bytes_ + offset);
}

void ElfSymbols::find_table() noexcept {
  const auto* const header = part<Elf64_Ehdr>(0, 1);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr))
    return;
  const auto* const sections = part<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  if (sections == nullptr) return;
  for (const std::uint32_t wanted : {std::uint32_t{SHT_SYMTAB}, std::uint32_t{SHT_DYNSYM}})
    for (std::uint16_t i = 0; i < header->e_shnum; ++i) {
      const Elf64_Shdr& table = sections[i];
      if (table.sh_type != wanted || table.sh_link >= header->e_shnum) continue;
      const Elf64_Shdr& names = sections[table.sh_link];
      const std::uint64_t count = table.sh_size / sizeof(Elf64_Sym);
      if (part<Elf64_Sym>(table.sh_offset, count) == nullptr ||
          part<char>(names.sh_offset, names.sh_size) == nullptr)
        continue;
      symbols_offset_ = table.sh_offset;
      symbol_count_ = count;
      names_offset_ = names.sh_offset;
      names_bytes_ = names.sh_size;
      return;
    }
}

ElfSymbols::Function ElfSymbols::function_at(std::uint64_t address) const noexcept {
  const auto* const symbols = part<Elf64_Sym>(symbols_offset_, symbol_count_);
  for (std::uint64_t i = 0; symbols != nullptr && i < symbol_count_; ++i) {
    const Elf64_Sym& symbol = symbols[i];
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || address < symbol.st_value ||
        address - symbol.st_value >= symbol.st_size || symbol.st_name >= names_bytes_)
      continue;
    const auto* const name = reinterpret_cast<const char*>(bytes_) + names_offset_ + symbol.st_name;
    return {{name, ::strnlen(name, names_bytes_ - symbol.st_name)}, address - symbol.st_value};
  }
  return {};
}

}  // namespace tilewall
