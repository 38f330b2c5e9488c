#include "render/volume/web_scene.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "render/volume/shared_work.hpp"

namespace tilewall::render {
namespace {

constexpr int waves = 24;
constexpr int both_ways = 2 * waves - 1;
constexpr int halo_count = 700;

std::size_t wave_index(int x, int y, int z) noexcept {
  const int index = ((z + waves - 1) * both_ways + y + waves - 1) * waves + x;
  return static_cast<std::size_t>(index);
}

/// A uniform number in (0, 1). std's distributions differ between libraries, its engines do not.
double uniform(std::mt19937& engine) {
  return (static_cast<double>(engine()) + 0.5) / 4294967296.0;
}

float normal(std::mt19937& engine) {
  const double radius = std::sqrt(-2 * std::log(uniform(engine)));
  return static_cast<float>(radius * std::cos(2 * std::numbers::pi * uniform(engine)));
}

/// Rotates a wave's (cosine, sine) by its phase at a place of the axis.
struct Phases {
  Phases(double place) {
    for (int k = 0; k < waves; ++k) {
      cosine[k] = static_cast<float>(std::cos(2 * std::numbers::pi * k * place));
      sine[k] = static_cast<float>(std::sin(2 * std::numbers::pi * k * place));
    }
  }
  /// Adds wave k, which may be negative, to (c, s).
  void add(int k, float cos_in, float sin_in, float& c, float& s) const noexcept {
    const float sine_k = k < 0 ? -sine[-k] : sine[k];
    const float cosine_k = cosine[k < 0 ? -k : k];
    c += cos_in * cosine_k + sin_in * sine_k;
    s += sin_in * cosine_k - cos_in * sine_k;
  }
  float cosine[waves];
  float sine[waves];
};

}  // namespace

WebScene::Waves WebScene::random_waves(unsigned seed) {
  std::mt19937 engine(seed);
  Waves all;
  all.cosine.resize(wave_index(0, waves - 1, waves - 1) + waves);
  all.sine.resize(all.cosine.size());
  double power = 0;
  for (int z = 1 - waves; z < waves; ++z)
    for (int y = 1 - waves; y < waves; ++y)
      for (int x = 0; x < waves; ++x) {
        const double square = x * x + y * y + z * z;
        const auto size = static_cast<float>(
            square == 0 ? 0 : std::pow(square, -0.6) * std::exp(-square / (12.0 * 12.0)));
        const std::size_t i = wave_index(x, y, z);
        all.cosine[i] = size * normal(engine);
        all.sine[i] = size * normal(engine);
        power += static_cast<double>(all.cosine[i] * all.cosine[i] + all.sine[i] * all.sine[i]) / 2;
      }
  const auto to_one = static_cast<float>(1 / std::sqrt(power));
  for (float& wave : all.cosine) wave *= to_one;
  for (float& wave : all.sine) wave *= to_one;
  return all;
}

/// One slice, row by row.
class WebScene::Slice {
 public:
  Slice(const WebScene& scene, double z, int side) : scene_(scene), z_(z), side_(side) {
    sum_along_z(scene.clouds_, clouds_);
    sum_along_z(scene.ridges_, ridges_);
    for (int k = 0; k < waves; ++k) {
      cosines_[k].resize(static_cast<std::size_t>(side));
      sines_[k].resize(static_cast<std::size_t>(side));
    }
    for (int x = 0; x < side; ++x) {
      const Phases phases(static_cast<double>(x) / side);
      for (int k = 0; k < waves; ++k) {
        cosines_[k][static_cast<std::size_t>(x)] = phases.cosine[k];
        sines_[k][static_cast<std::size_t>(x)] = phases.sine[k];
      }
    }
    ridge_.resize(static_cast<std::size_t>(side));
  }

  /// The field's logarithm. @pre to.size() is the side
  void row(double y, std::span<float> to) {
    waves_row(clouds_, y, to);
    waves_row(ridges_, y, ridge_);
    for (std::size_t x = 0; x < to.size(); ++x) {
      const float g = to[x];
      const float h = ridge_[x];
      to[x] = 0.35F * std::exp(0.8F * g - 1) + 60 * std::exp(-(g * g + h * h) * 50);
    }
    for (const Halo& halo : scene_.halos_) add_halo(halo, y, to);
    for (float& density : to) density = std::log10(density + 1e-2F);
  }

 private:
  struct Plane {  ///< waves (x, y) at this z
    float cosine[both_ways][waves] = {};
    float sine[both_ways][waves] = {};
  };

  void sum_along_z(const Waves& all, Plane& plane) const {
    const Phases phases(z_);
    for (int z = 1 - waves; z < waves; ++z)
      for (int y = 1 - waves; y < waves; ++y)
        for (int x = 0; x < waves; ++x) {
          const std::size_t i = wave_index(x, y, z);
          phases.add(z, all.cosine[i], all.sine[i], plane.cosine[y + waves - 1][x],
                     plane.sine[y + waves - 1][x]);
        }
  }

  void waves_row(const Plane& plane, double at, std::span<float> to) const {
    float cosine[waves] = {};
    float sine[waves] = {};
    const Phases phases(at);
    for (int y = 1 - waves; y < waves; ++y)
      for (int x = 0; x < waves; ++x)
        phases.add(y, plane.cosine[y + waves - 1][x], plane.sine[y + waves - 1][x], cosine[x],
                   sine[x]);
    std::fill(to.begin(), to.end(), 0.0F);
    for (int k = 0; k < waves; ++k) {
      const float* c = cosines_[k].data();
      const float* s = sines_[k].data();
      for (std::size_t x = 0; x < to.size(); ++x) to[x] += cosine[k] * c[x] + sine[k] * s[x];
    }
  }

  void add_halo(const Halo& halo, double y, std::span<float> to) const {
    const double reach = 4 * halo.radius;
    const double dy = y - halo.at.y;
    const double dz = z_ - halo.at.z;
    if (std::abs(dy) > reach || std::abs(dz) > reach) return;
    const double per = 1 / (2 * halo.radius * halo.radius);
    const int first = std::max(static_cast<int>(std::ceil((halo.at.x - reach) * side_)), 0);
    const int last = std::min(static_cast<int>((halo.at.x + reach) * side_), side_ - 1);
    for (int x = first; x <= last; ++x) {
      const double dx = static_cast<double>(x) / side_ - halo.at.x;
      to[static_cast<std::size_t>(x)] +=
          static_cast<float>(halo.height * std::exp(-(dx * dx + dy * dy + dz * dz) * per));
    }
  }

  const WebScene& scene_;
  double z_;
  int side_;
  Plane clouds_;
  Plane ridges_;
  std::vector<float> cosines_[waves];
  std::vector<float> sines_[waves];
  std::vector<float> ridge_;
};

WebScene::WebScene() : clouds_(random_waves(1)), ridges_(random_waves(2)) {
  std::mt19937 engine(42);
  for (int i = 0; i < halo_count; ++i) {
    Halo halo;
    halo.at = {uniform(engine), uniform(engine), uniform(engine)};
    const double mass = std::pow(uniform(engine), -1 / 1.6);
    halo.radius = std::min(std::pow(mass, 0.33) / 256, 1.0 / 24);
    halo.height = 150 * std::pow(mass, 0.3);
    halos_.push_back(halo);
  }
  constexpr int coarse = 64;
  std::vector<float> row(coarse);
  least_ = 1e9F;
  greatest_ = -1e9F;
  for (int z = 0; z < coarse; ++z) {
    Slice slice(*this, static_cast<double>(z) / coarse, coarse);
    for (int y = 0; y < coarse; ++y) {
      slice.row(static_cast<double>(y) / coarse, row);
      for (const float v : row) {
        least_ = std::min(least_, v);
        greatest_ = std::max(greatest_, v);
      }
    }
  }
}

ValueScale WebScene::scale_of(VoxelType type) noexcept {
  return {type == VoxelType::u8 ? 1.0 / 255 : type == VoxelType::u16 ? 1.0 / 65535 : 1.0, 0};
}

VoxelArray WebScene::voxels(VoxelType type, int side, int threads) const {
  VoxelArray array(type, {side, side, side});
  const auto length = static_cast<std::size_t>(side);
  share_work(side, threads, [&](int z) {
    Slice slice(*this, static_cast<double>(z) / side, side);
    std::vector<float> row(length);
    std::size_t i = static_cast<std::size_t>(z) * length * length;
    for (int y = 0; y < side; ++y) {
      slice.row(static_cast<double>(y) / side, row);
      for (const float v : row) {
        const float part = std::clamp((v - least_) / (greatest_ - least_), 0.0F, 1.0F);
        // lround would be a call for each voxel, and round a few of them to another number.
        // NOLINTBEGIN(bugprone-incorrect-roundings)
        if (type == VoxelType::u8)
          array.voxels<std::uint8_t>()[i] = static_cast<std::uint8_t>(part * 255 + 0.5F);
        else if (type == VoxelType::u16)
          array.voxels<std::uint16_t>()[i] = static_cast<std::uint16_t>(part * 65535 + 0.5F);
        // NOLINTEND(bugprone-incorrect-roundings)
        else
          array.voxels<float>()[i] = part;
        ++i;
      }
    }
  });
  return array;
}

TransferFunction sparse_function(int side) {
  return TransferFunction({{0, {0.05F, 0.03F, 0.25F, 0}},
                           {0.45, {0.2F, 0.1F, 0.6F, 0}},
                           {0.6, {0.85F, 0.25F, 0.3F, 0.02F}},
                           {0.8, {1, 0.75F, 0.2F, 0.1F}},
                           {1, {1, 1, 0.9F, 0.6F}}},
                          side / 256.0);
}

TransferFunction fog_function(int side) {
  return TransferFunction({{0, {0.05F, 0.03F, 0.25F, 0.0005F}},
                           {0.3, {0.15F, 0.08F, 0.48F, 0.004F}},
                           {0.45, {0.2F, 0.1F, 0.6F, 0.02125F}},
                           {0.6, {0.85F, 0.25F, 0.3F, 0.0385F}},
                           {0.7, {0.925F, 0.5F, 0.25F, 0.05F}},
                           {0.8, {1, 0.75F, 0.2F, 0.2333F}},
                           {1, {1, 1, 0.9F, 0.6F}}},
                          side / 256.0);
}

}  // namespace tilewall::render
