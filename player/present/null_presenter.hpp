// Shows nothing: for measuring and hashing what panels would show.
#pragma once

#include "player/present/presenter.hpp"

namespace tilewall {

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

}  // namespace tilewall
