#include "player/present/memory_presenter.hpp"

#include "player/present/correction/copy_picture.hpp"
#include "sync/base/check.hpp"

namespace tilewall {

MemoryPresenter::MemoryPresenter(const PresenterOptions& options)
    : size_px_(options.frame_buffer_px),
      rotation_(options.rotation),
      tables_(color_tables_for(options.color)),
      edges_(options.blend, size_px_, rotation_) {
  for (std::vector<std::uint8_t>& pixels : buffers_)
    pixels.resize(static_cast<std::size_t>(size_px_.width) *
                  static_cast<std::size_t>(size_px_.height) * 4);
}

void MemoryPresenter::prepare(const ImageView& picture, const Inset& inset) {
  TW_CHECK(picture.size_px == turned_size_px(size_px_, rotation_), "{}x{}", picture.size_px.width,
           picture.size_px.height);
  const ColorTables* tables = tables_ ? &*tables_ : nullptr;
  copy_picture(picture, rotation_, tables, buffer(1 - front_));
  copy_inset(inset, rotation_, tables, buffer(1 - front_));
  edges_.apply(buffer(1 - front_));
}

LocalInstant MemoryPresenter::swap() {
  front_ = 1 - front_;
  any_shown_ = true;
  return local_now();
}

ImageView MemoryPresenter::shown() { return any_shown_ ? buffer(front_) : ImageView{}; }

ImageView MemoryPresenter::buffer(std::size_t index) {
  return {buffers_[index].data(), size_px_, static_cast<std::size_t>(size_px_.width) * 4};
}

}  // namespace tilewall
