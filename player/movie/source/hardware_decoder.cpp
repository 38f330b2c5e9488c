#include "player/movie/source/hardware_decoder.hpp"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>
}

#include <utility>
#include <vector>

#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

struct AvBufferTraits {
  using Raw = AVBufferRef*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { av_buffer_unref(&raw); }
};
using AvBuffer = UniqueHandle<AvBufferTraits>;

AVHWDeviceType ffmpeg_type(scene::DecodeDevice device) noexcept {
  return device == scene::DecodeDevice::vaapi ? AV_HWDEVICE_TYPE_VAAPI : AV_HWDEVICE_TYPE_CUDA;
}

/// The pixel format of pictures in the device's memory; AV_PIX_FMT_NONE if the device does not
/// decode `codec`.
AVPixelFormat device_format(const AVCodec& codec, AVHWDeviceType type) noexcept {
  for (int i = 0;; ++i) {
    const AVCodecHWConfig* const config = avcodec_get_hw_config(&codec, i);
    if (config == nullptr) return AV_PIX_FMT_NONE;
    if (config->device_type == type &&
        (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) != 0)
      return config->pix_fmt;
  }
}

/// FFmpeg's get_format callback: chooses the device's format if it is offered, otherwise the first
/// one in main memory, so that MovieFile gets a picture that the device does not hold.
AVPixelFormat choose_format(AVCodecContext* context, const AVPixelFormat* offered) {
  const auto type = reinterpret_cast<const AVHWDeviceContext*>(context->hw_device_ctx->data)->type;
  const AVPixelFormat wanted = device_format(*context->codec, type);
  AVPixelFormat otherwise = AV_PIX_FMT_NONE;
  for (; *offered != AV_PIX_FMT_NONE; ++offered) {
    if (*offered == wanted) return wanted;
    const bool in_main_memory =
        (av_pix_fmt_desc_get(*offered)->flags & AV_PIX_FMT_FLAG_HWACCEL) == 0;
    if (otherwise == AV_PIX_FMT_NONE && in_main_memory) otherwise = *offered;
  }
  return otherwise;
}

class FfmpegDevice final : public HardwareDecoder {
 public:
  FfmpegDevice(scene::DecodeDevice device, AvBuffer context)
      : device_(device), context_(std::move(context)) {}

  [[nodiscard]] scene::DecodeDevice device() const noexcept override { return device_; }

  [[nodiscard]] const AVCodec* codec_for(AVCodecID id) const noexcept override {
    void* position = nullptr;
    while (const AVCodec* const codec = av_codec_iterate(&position))
      if (codec->id == id && av_codec_is_decoder(codec) != 0 &&
          device_format(*codec, ffmpeg_type(device_)) != AV_PIX_FMT_NONE)
        return codec;
    return nullptr;
  }

  [[nodiscard]] bool prepare(AVCodecContext& context) override {
    context.hw_device_ctx = av_buffer_ref(context_.get());
    context.get_format = &choose_format;
    context.thread_count = 1;  // the device decodes in parallel; threads would wait for each other
    return context.hw_device_ctx != nullptr;
  }

  [[nodiscard]] bool holds(const AVFrame& picture) const noexcept override {
    return picture.hw_frames_ctx != nullptr;
  }

  [[nodiscard]] AvFrame fetch(const AVFrame& picture) override {
    AvFrame fetched = new_frame();
    if (av_hwframe_transfer_data(fetched.get(), &picture, 0) < 0 ||
        av_frame_copy_props(fetched.get(), &picture) < 0)
      return {};
    // The device's pictures are padded to whole blocks.
    fetched.get()->width = picture.width;
    fetched.get()->height = picture.height;
    return fetched;
  }

 private:
  const scene::DecodeDevice device_;
  const AvBuffer context_;
};

std::shared_ptr<HardwareDecoder> try_device(scene::DecodeDevice device, std::string& why_not) {
  forget_ffmpeg_message();
  AVBufferRef* context = nullptr;
  const int error = av_hwdevice_ctx_create(&context, ffmpeg_type(device), nullptr, nullptr, 0);
  if (error >= 0) return std::make_shared<FfmpegDevice>(device, AvBuffer(context));
  if (!why_not.empty()) why_not += ", ";
  why_not += std::string(scene::name_of(device)) + ": " + ffmpeg_error_text(error);
  forget_ffmpeg_message();  // a device's error must not appear in an error text about the movie
  return nullptr;
}

}  // namespace

void HardwareDecoder::give_up(std::string why) {
  if (failure_.empty()) failure_ = std::string(scene::name_of(device())) + ": " + std::move(why);
}

HardwareChoice open_hardware_decoder(scene::DecodeDevice choice) {
  HardwareChoice found;
  const std::vector<scene::DecodeDevice> devices =
      choice == scene::DecodeDevice::cpu ? std::vector<scene::DecodeDevice>{}
      : choice == scene::DecodeDevice::automatic
          ? std::vector{scene::DecodeDevice::cuda, scene::DecodeDevice::vaapi}
          : std::vector{choice};
  for (const scene::DecodeDevice device : devices) {
    found.decoder = try_device(device, found.why_not);
    if (found.decoder) return found;
  }
  return found;
}

}  // namespace tilewall::movie
