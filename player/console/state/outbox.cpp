#include "player/console/state/outbox.hpp"

#include <utility>

namespace tilewall::console {

bool Outbox::add_answer(std::string text) {
  answer_bytes_ += text.size();
  answers_.push_back(std::make_shared<const std::string>(std::move(text)));
  return answers_.size() == 1 || answer_bytes_ <= most_answer_bytes;
}

void Outbox::want_pictures(bool wanted) {
  wants_pictures_ = wanted;
  if (wanted) return;
  panels_.clear();
  pictures_.clear();
}

void Outbox::add_picture(const std::string& panel, SharedText picture) {
  if (!wants_pictures_) return;
  SharedText& waiting = pictures_[panel];
  if (!waiting) panels_.push_back(panel);
  waiting = std::move(picture);
}

std::optional<Outbox::Message> Outbox::next(WallState& state) {
  if (!answers_.empty()) {
    Message message{std::move(answers_.front()), false};
    answers_.pop_front();
    answer_bytes_ -= message.data->size();
    return message;
  }
  if (revision_ != state.revision()) {
    Message message{state.message_from(revision_, reader_), false};
    revision_ = state.revision();
    return message;
  }
  if (panels_.empty()) return std::nullopt;
  Message message{std::move(pictures_.extract(panels_.front()).mapped()), true};
  panels_.pop_front();
  return message;
}

}  // namespace tilewall::console
