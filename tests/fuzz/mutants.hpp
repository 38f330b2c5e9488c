// Bad inputs made of good ones, the same ones in every run.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "tests/fuzz/decoder.hpp"

namespace tilewall::fuzz {

/// How many of each kind, at most.
struct MutantCounts {
  std::size_t truncated = 0;  ///< Cuts of each good input; all lengths where there are no more
  std::size_t changed = 0;    ///< bits, bytes and numbers changed, bytes left out or put in
  std::size_t spliced = 0;    ///< the front of one good input and the back of another
  std::size_t json = 0;       ///< Changes of JSON: a value replaced by another, or a field left out
};

/// Calls `use` with each mutant, in memory of exactly its size.
void for_each_mutant(const Decoder& decoder, const MutantCounts& counts,
                     const std::function<void(std::span<const std::byte>)>& use);

}  // namespace tilewall::fuzz
