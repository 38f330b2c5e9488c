// Presenters that open no window.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "player/present/correction/copy_picture.hpp"
#include "player/present/correction/edge_mask.hpp"
#include "player/present/presenter.hpp"

namespace tilewall::present {

/// The CPU presenter without a display: the same rotation, colour match and copy as in a window,
/// into a frame buffer in memory, two of them by turns.
class MemoryPresenter final : public Presenter {
 public:
  explicit MemoryPresenter(const PresenterOptions& options);

  [[nodiscard]] std::string name() const override { return "cpu"; }
  using Presenter::prepare;
  void prepare(const ImageView& picture, const Inset& inset) override;
  LocalInstant swap() override;
  [[nodiscard]] std::vector<OperatorInput> poll_input() override { return {}; }
  [[nodiscard]] ImageView shown() override;

 private:
  [[nodiscard]] ImageView buffer(std::size_t index);

  const SizePx size_px_;
  const wall::Rotation rotation_;
  const std::optional<ColorTables> tables_;  ///< empty = colours as they are
  const EdgeMask edges_;
  std::array<std::vector<std::uint8_t>, 2> buffers_;
  std::size_t front_ = 0;
  bool any_shown_ = false;
};

/// Shows nothing: for measuring and hashing what panels would show.
class NullPresenter final : public Presenter {
 public:
  [[nodiscard]] std::string name() const override { return "null"; }
  using Presenter::prepare;
  void prepare(const ImageView& picture, const Inset&) override { prepared_ = picture; }
  LocalInstant swap() override {
    shown_ = prepared_;
    return local_now();
  }
  [[nodiscard]] std::vector<OperatorInput> poll_input() override { return {}; }
  [[nodiscard]] ImageView shown() override { return shown_; }

 private:
  ImageView prepared_;
  ImageView shown_;
};

}  // namespace tilewall::present
