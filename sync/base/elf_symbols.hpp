// Finds the names of functions in the symbol table of a program or library, for the report of a
// crash. Everything here may be called in a signal handler: it makes system calls, and allocates
// and locks nothing. The table is read from the file and not from memory, so it has the functions
// that are not exported as well; a stripped file has the exported ones alone.
//
// Threads: any, one at a time for each object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tilewall {

class ElfSymbols {
 public:
  ElfSymbols() noexcept = default;
  ~ElfSymbols() { close(); }
  ElfSymbols(const ElfSymbols&) = delete;
  ElfSymbols& operator=(const ElfSymbols&) = delete;

  /// Maps the file. Finds nothing where the file is missing, damaged, or no 64-bit ELF file.
  void open(const char* file) noexcept;

  struct Function {
    std::string_view name;     ///< as the linker knows it; "" = none was found
    std::uint64_t offset = 0;  ///< bytes from the function's beginning to the address
  };
  /// The function around an address of the file, which is the address in memory without the load
  /// bias. The name is valid until the file is closed.
  [[nodiscard]] Function function_at(std::uint64_t address) const noexcept;

 private:
  void close() noexcept;
  void find_table() noexcept;
  /// The address of `count` records of type T at `offset`; null where the file is too short.
  template <typename T>
  [[nodiscard]] const T* part(std::uint64_t offset, std::uint64_t count) const noexcept;

  const std::byte* bytes_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t symbols_offset_ = 0;
  std::uint64_t symbol_count_ = 0;
  std::uint64_t names_offset_ = 0;
  std::uint64_t names_bytes_ = 0;
};

}  // namespace tilewall
