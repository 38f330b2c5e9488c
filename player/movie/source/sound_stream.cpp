#include "player/movie/source/sound_stream.hpp"

namespace tilewall {

double video_start_s(AVFormatContext* context) noexcept {
  const int index = av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (index < 0) return 0;
  const AVStream& video = *context->streams[index];
  const bool is_cover = (video.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
  return is_cover || video.start_time == AV_NOPTS_VALUE
             ? 0
             : static_cast<double>(video.start_time) * av_q2d(video.time_base);
}

AVStream* select_sound(AVFormatContext* context) noexcept {
  const int index = av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0);
  if (index < 0) return nullptr;
  for (unsigned i = 0; i < context->nb_streams; ++i)
    if (static_cast<int>(i) != index) context->streams[i]->discard = AVDISCARD_ALL;
  return context->streams[index];
}

}  // namespace tilewall
