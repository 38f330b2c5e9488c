#include "player/present/presenter.hpp"

#include "player/present/correction/copy_picture.hpp"
#include "player/present/headless_presenters.hpp"
#include "player/present/window_module.hpp"
#include "sync/base/check.hpp"

namespace tilewall::present {

PresenterKind presenter_kind(const PresenterOptions& options) {
  if (options.kind != PresenterKind::automatic) return options.kind;
  if (options.headless) return PresenterKind::cpu;
  const GlProbe gl = options.gl ? *options.gl : probe_gl();
  return gl.usable && gl.hardware ? PresenterKind::gl : PresenterKind::cpu;
}

std::optional<PresenterKind> parse_presenter_kind(std::string_view text) noexcept {
  for (std::size_t i = 0; i < std::size(presenter_kind_names); ++i)
    if (presenter_kind_names[i] == text) return static_cast<PresenterKind>(i);
  return std::nullopt;
}

std::unique_ptr<Presenter> make_presenter(const PresenterOptions& options) {
  TW_CHECK(options.frame_buffer_px.width > 0 && options.frame_buffer_px.height > 0);
  PresenterOptions chosen = options;
  chosen.kind = presenter_kind(options);
  if (chosen.kind == PresenterKind::null) return std::make_unique<NullPresenter>();
  if (chosen.kind == PresenterKind::cpu && chosen.headless)
    return std::make_unique<MemoryPresenter>(chosen);
  return make_window_presenter(chosen);
}

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

}  // namespace tilewall::present
