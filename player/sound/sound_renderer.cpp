#include "player/sound/sound_renderer.hpp"

#include <algorithm>
#include <cmath>

#include "sync/base/check.hpp"
#include "sync/saturating.hpp"

namespace tilewall::sound {
namespace {

GlobalInstant later(GlobalInstant at, double by_ns) {
  return {sync::saturating_add(at.since_epoch, sync::saturating_nanos(by_ns))};
}

/// Frames from `at` until `end`, at least one.
std::size_t frames_until(GlobalInstant at, GlobalInstant end, double frame_ns, std::size_t most) {
  const Nanos left = sync::saturating_sub(end.since_epoch, at.since_epoch);
  const double frames = std::ceil(static_cast<double>(left.count()) / frame_ns);
  return static_cast<std::size_t>(std::clamp(frames, 1.0, static_cast<double>(most)));
}

}  // namespace

SoundRenderer::SoundRenderer(const PcmReader& pcm, int rate_hz)
    : pcm_(pcm), rate_hz_(rate_hz), scratch_(longest_call_frames * pcm_channels) {}

RenderedSound SoundRenderer::render(const SoundPlan& plan, std::span<float> stereo,
                                    GlobalInstant from, double frame_ns) {
  TW_CHECK(stereo.size() <= scratch_.size());
  std::fill(stereo.begin(), stereo.end(), 0.0F);
  RenderedSound result;
  const std::size_t frames = stereo.size() / pcm_channels;
  for (std::size_t done = 0; done < frames;) {
    const GlobalInstant at = later(from, static_cast<double>(done) * frame_ns);
    const SoundPiece piece = plan.piece_at(at);
    const std::size_t count = frames_until(at, piece.until, frame_ns, frames - done);
    render_piece(piece, stereo.subspan(done * pcm_channels, count * pcm_channels), at, frame_ns,
                 result);
    done += count;
  }
  apply_gain(plan.gain_at(from), stereo);
  return result;
}

void SoundRenderer::render_piece(const SoundPiece& piece, std::span<float> part, GlobalInstant at,
                                 double frame_ns, RenderedSound& result) {
  const int file_rate_hz = piece.audible() ? pcm_.rate_hz(piece.file) : 0;
  const double step = file_rate_hz * piece.speed * frame_ns / ns_per_s;
  const bool playable =
      file_rate_hz > 0 && step < Stretcher::longest_step / 2 && step > 2 / Stretcher::longest_step;
  if (!playable) {
    stop();
  } else {
    const double due_frame = piece.due_s(at) * file_rate_hz;
    const Voice& voice = voices_[current_];
    const bool goes_on = voice.sounds && voice.stretcher.file() == piece.file;
    double error_s = (voice.stretcher.position() - due_frame) / file_rate_hz;
    ServoStep servo = DriftServo::step(error_s / piece.speed);
    if (!goes_on || servo.jump) {
      start(piece, due_frame);
      error_s = 0;
      servo = {};
    }
    voices_[current_].step = step * (1.0 + servo.steer);
    result.audible = true;
    result.error_s = error_s / piece.speed;
    result.speed_steer = servo.steer;
  }
  const double slope = 1.0 / (fade_s * rate_hz_);
  Voice& current = voices_[current_];
  Voice& other = voices_[1 - current_];
  if (current.sounds && !mix(current, part, slope)) result.lacking = true;
  if (other.sounds) static_cast<void>(mix(other, part, -slope));
}

void SoundRenderer::start(const SoundPiece& piece, double due_frame) {
  stop();
  Voice& voice = voices_[current_];
  voice.stretcher.restart(piece.file, std::llround(due_frame));
  voice.level = 0;
  voice.sounds = true;
}

/// Turns the current voice into the one that fades away.
void SoundRenderer::stop() {
  if (!voices_[current_].sounds) return;
  current_ = 1 - current_;
  voices_[current_].sounds = false;
}

bool SoundRenderer::mix(Voice& voice, std::span<float> part, double slope) {
  if (slope < 0) {
    const auto audible = static_cast<std::size_t>(std::ceil(voice.level / -slope)) * pcm_channels;
    part = part.first(std::min(part.size(), audible));
  }
  const std::span<float> samples(scratch_.data(), part.size());
  const bool whole = voice.stretcher.render(pcm_, samples, voice.step);
  for (std::size_t i = 0; i < part.size(); i += pcm_channels) {
    voice.level = std::clamp(voice.level + slope, 0.0, 1.0);
    const auto level = static_cast<float>(voice.level);
    part[i] += level * samples[i];
    part[i + 1] += level * samples[i + 1];
  }
  if (voice.level <= 0) voice.sounds = false;
  return whole;
}

/// Moves to another gain over the whole buffer; what would exceed full scale is cut off.
void SoundRenderer::apply_gain(double target, std::span<float> stereo) {
  const double slope =
      stereo.empty() ? 0 : (target - gain_) * pcm_channels / static_cast<double>(stereo.size());
  for (std::size_t i = 0; i < stereo.size(); i += pcm_channels) {
    gain_ += slope;
    for (std::size_t channel = 0; channel < pcm_channels; ++channel)
      stereo[i + channel] =
          std::clamp(stereo[i + channel] * static_cast<float>(gain_), -1.0F, 1.0F);
  }
  gain_ = target;
}

}  // namespace tilewall::sound
