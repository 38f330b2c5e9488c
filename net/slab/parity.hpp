// Forward error correction: parity pieces from which lost data pieces are computed.
//
// A group has `data` data pieces and `parity` parity pieces, all of one length. Any `data` of them
// determine the data, whichever are lost: a systematic Reed-Solomon code over GF(2^8) with the
// polynomial 0x11d. The coefficient of data piece j in parity piece i is 1 / ((data + i) xor j).
// That is a Cauchy matrix, all of whose square submatrices have an inverse.
//
// Padding: if the bytes of a group do not fill its last piece, sender and receiver pad it with
// zeros before they encode or recover; a recovered last piece includes the zeros. The code does not
// know the length without padding, which the caller must transmit. A group with fewer pieces needs
// a code of its own.
//
// Threads: encode() from any number of threads at once; recover() from one, beside no other call.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace tilewall::net {

class ParityCode {
 public:
  static constexpr int most_pieces = 255;

  /// @pre 1 <= data, 0 <= parity, data + parity <= most_pieces
  ParityCode(int data, int parity);

  [[nodiscard]] int data() const noexcept { return data_; }
  [[nodiscard]] int parity() const noexcept { return parity_; }

  /// Computes `bytes` bytes of each parity piece. Any alignment and any `bytes` are allowed.
  /// @pre as many pieces as the code has; no parity piece overlaps another piece
  void encode(std::span<const std::byte* const> data, std::span<std::byte* const> parity,
              std::size_t bytes) const;

  /// Computes the missing data pieces into their memory. Returns false, with nothing written, if
  /// fewer than data() pieces are present. Missing parity pieces are not computed. Working memory
  /// is kept between calls, so a call allocates only if more pieces are missing than ever before.
  /// @pre `pieces` are the data pieces and then the parity pieces, none null or overlapping;
  /// there[i] is whether piece i is present; `bytes` as for encode()
  [[nodiscard]] bool recover(std::span<std::byte* const> pieces, std::span<const bool> there,
                             std::size_t bytes);

 private:
  /// The missing data pieces, and for each a parity piece that is present, its stand-in.
  struct Plan {
    std::array<std::size_t, most_pieces> missing;
    std::array<std::size_t, most_pieces> stand_ins;
    int missing_count = 0;
    int stand_in_count = 0;  ///< below missing_count if the group cannot be recovered
  };

  [[nodiscard]] Plan plan(std::span<const bool> there) const;
  void invert(const Plan& plan);
  void make_factors(const Plan& plan);
  [[nodiscard]] unsigned char* row(std::size_t piece);

  int data_;
  int parity_;
  std::vector<unsigned char> matrix_;  // data() + parity() rows of data() factors each
  std::vector<unsigned char> tables_;  // ISA-L's tables of the parity rows

  // Working memory of recover():
  std::vector<unsigned char> square_;   // missing x missing factors: stand-ins by missing pieces
  std::vector<unsigned char> inverse_;  // inverse of square_
  std::vector<unsigned char> factors_;  // missing x data() factors: missing pieces by sources
  std::vector<unsigned char> recover_tables_;  // ISA-L's tables of the above
};

/// Returns the fewest parity pieces for which the probability that a group cannot be recovered is
/// at most `residual`, if each piece is lost independently with probability `loss`. It is computed
/// by the exact binomial sum. The result is at most most_pieces - data, whether that suffices or
/// not.
/// @pre 1 <= data <= ParityCode::most_pieces
[[nodiscard]] int parity_for(int data, double loss, double residual);

}  // namespace tilewall::net
