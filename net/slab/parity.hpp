// Forward error correction: parity pieces from which lost data pieces are computed.
//
// A group is `data` pieces and `parity` pieces of one length. Any `data` of them give the data
// back, be the lost ones where they may: a systematic Reed-Solomon code over GF(2^8) with the
// polynomial 0x11d. The coefficient of data piece j in parity piece i is 1 / ((data + i) xor j),
// a Cauchy matrix, each square part of which has an inverse.
//
// Padding: where the bytes of a group do not fill its last piece, the sender fills it up with zeros
// before it encodes, and the receiver before it recovers, where that piece came; a recovered one
// has the zeros. The length without them travels apart, as the code knows nothing of it. A group of
// fewer pieces takes a code of its own.
//
// Threads: encode() from any number of threads at once; recover() from one, beside no other call.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace tilewall {

class ParityCode {
 public:
  static constexpr int most_pieces = 255;

  /// @pre 1 <= data, 0 <= parity, data + parity <= most_pieces
  ParityCode(int data, int parity);

  [[nodiscard]] int data() const noexcept { return data_; }
  [[nodiscard]] int parity() const noexcept { return parity_; }

  /// Writes `bytes` to each of the parity pieces. Any alignment, any `bytes`.
  /// @pre as many pieces as the code has; no parity piece overlaps another piece
  void encode(std::span<const std::byte* const> data, std::span<std::byte* const> parity,
              std::size_t bytes) const;

  /// Computes the data pieces that are not there into their memory. False, and nothing written,
  /// when fewer than data() pieces are there. Parity pieces that are not there stay as they are.
  /// Keeps its memory between calls: allocates only where it never had as many to compute.
  /// @pre `pieces` are the data pieces and then the parity pieces, none null or overlapping;
  /// `there` says of each whether it came; `bytes` as for encode()
  [[nodiscard]] bool recover(std::span<std::byte* const> pieces, std::span<const bool> there,
                             std::size_t bytes);

 private:
  /// What recover() computes: the missing data pieces, each with a parity piece in its place.
  struct Plan {
    std::array<std::size_t, most_pieces> missing;
    std::array<std::size_t, most_pieces> stand_ins;
    int missing_count = 0;
    int stand_in_count = 0;  ///< fewer than are missing: it cannot be done
  };

  [[nodiscard]] Plan plan(std::span<const bool> there) const;
  void invert(const Plan& plan);
  void make_factors(const Plan& plan);
  [[nodiscard]] unsigned char* row(std::size_t piece);

  int data_;
  int parity_;
  std::vector<unsigned char> matrix_;  // data() + parity() rows of data()
  std::vector<unsigned char> tables_;  // of the parity rows, as ISA-L wants them

  // of recover() alone
  std::vector<unsigned char> square_;   // missing x missing: the stand-ins' factors of them
  std::vector<unsigned char> inverse_;  // of square_
  std::vector<unsigned char> factors_;  // missing x data(): of the data, or of what stands in
  std::vector<unsigned char> recover_tables_;
};

/// The fewest parity pieces with which a group cannot be recovered with a probability of at most
/// `residual`, when each piece is lost independently with the probability `loss`; by the exact
/// binomial sum. most_pieces - data where that many do not suffice.
/// @pre 1 <= data <= ParityCode::most_pieces
[[nodiscard]] int parity_for(int data, double loss, double residual);

}  // namespace tilewall
