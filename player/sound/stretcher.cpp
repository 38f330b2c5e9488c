#include "player/sound/stretcher.hpp"

#include <algorithm>
#include <array>

#include "sync/base/error.hpp"

namespace tilewall::sound {
namespace {

constexpr std::size_t fed_frames = 256;  // at a time

}  // namespace

Stretcher::Stretcher() {
  int error = 0;
  state_ = UniqueHandle<SampleRateTraits>(src_new(SRC_SINC_MEDIUM_QUALITY, pcm_channels, &error));
  if (state_.empty()) throw JobError(std::string("sample rate converter: ") + src_strerror(error));
}

void Stretcher::restart(int file, std::int64_t frame) noexcept {
  src_reset(state_.get());
  file_ = file;
  next_fed_ = frame;
  position_ = static_cast<double>(frame);
}

bool Stretcher::render(const PcmReader& pcm, std::span<float> stereo, double step) noexcept {
  const double ratio = 1.0 / step;
  src_set_ratio(state_.get(), ratio);  // at once; else it would glide there within the call
  std::array<float, fed_frames* pcm_channels> fed = {};
  bool whole = true;
  while (!stereo.empty()) {
    whole = pcm.read(file_, next_fed_, fed) && whole;
    SRC_DATA data = {};
    data.data_in = fed.data();
    data.input_frames = fed_frames;
    data.data_out = stereo.data();
    data.output_frames = static_cast<long>(stereo.size()) / pcm_channels;
    data.src_ratio = ratio;
    if (src_process(state_.get(), &data) != 0 ||
        (data.input_frames_used == 0 && data.output_frames_gen == 0)) {
      std::fill(stereo.begin(), stereo.end(), 0.0F);  // never, by its documentation
      return false;
    }
    next_fed_ += data.input_frames_used;
    position_ += step * static_cast<double>(data.output_frames_gen);
    stereo = stereo.subspan(static_cast<std::size_t>(data.output_frames_gen) * pcm_channels);
  }
  return whole;
}

}  // namespace tilewall::sound
