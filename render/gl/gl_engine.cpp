#include "render/gl/gl_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <thread>

#include "render/gl/brick_atlas.hpp"
#include "render/gl/gl_functions.hpp"
#include "render/gl/shaders.hpp"
#include "render/volume/refinement.hpp"
#include "render/volume/shared_work.hpp"
#include "render/volume/transfer_function.hpp"
#include "sync/base/check.hpp"

namespace tilewall::render {
namespace {

constexpr std::size_t unknown_gpu_budget_bytes = std::size_t{1} << 30;
constexpr int group_side_px = 8;
constexpr GLsizei log_bytes = 2048;
constexpr std::size_t count_bytes = 4;  // samples, ahead of the pixels

// One thread copies a picture of 2560x1600 in 1.3 ms on a host whose GPU draws it in as much, four
// in 0.4 ms. Below so many bytes for each, starting threads takes as long.
constexpr int most_copying_threads = 4;
constexpr std::size_t least_copied_bytes = std::size_t{1} << 20;

// Limits of a band of a picture. OpenGL 4.3 promises a storage block 16 MiB. GPUs that also draw a
// desktop have drivers which end work that takes seconds, so a band may take a few thousand million
// samples at most. That also keeps their number in 32 bits.
constexpr std::int64_t most_band_px = (std::int64_t{1} << 22) - 1;
constexpr std::int64_t most_band_samples = (std::int64_t{1} << 32) - 1;

using GlProgram = UniqueHandle<GlProgramTraits>;
using GlShader = UniqueHandle<GlShaderTraits>;
using GlBuffer = UniqueHandle<GlBufferTraits>;
using GlTexture = UniqueHandle<GlTextureTraits>;

GlBuffer make_buffer(const char* label) {
  GLuint name = 0;
  gl.GenBuffers(1, &name);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, name);  // only objects that were bound once have labels
  gl.ObjectLabel(GL_BUFFER, name, -1, label);
  return GlBuffer(name);
}

GlTexture make_table_texture(GLenum format, const char* label) {
  GLuint name = 0;
  gl.GenTextures(1, &name);
  gl.BindTexture(GL_TEXTURE_1D, name);
  gl.TexStorage1D(GL_TEXTURE_1D, 1, format, TransferTable::intervals + 1);
  gl.TexParameteri(GL_TEXTURE_1D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  gl.TexParameteri(GL_TEXTURE_1D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  gl.TexParameteri(GL_TEXTURE_1D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  gl.ObjectLabel(GL_TEXTURE, name, -1, label);
  return GlTexture(name);
}

int mode_number(CastMode mode) noexcept {
  switch (mode) {
    case CastMode::composite:
      return 0;
    case CastMode::maximum:
      return 1;
    case CastMode::average:
      return 2;
    case CastMode::isosurface:
      return 3;
  }
  return 0;
}

std::size_t program_number(const CastVariant& variant) noexcept {
  return static_cast<std::size_t>(mode_number(variant.mode)) * 16 + (variant.refine ? 8u : 0u) +
         (variant.keyed ? 4u : 0u) + (variant.lit ? 2u : 0u) + (variant.floats ? 1u : 0u);
}

/// Compiles a program. Throws GlLost with the compiler's message, since such a driver draws
/// nothing.
GlProgram make_program(const CastVariant& variant, const std::string& renderer) {
  const std::string head = fmt::format(
      "#version 430 core\n#define MODE {}\n#define LIT {}\n#define FLOATS {}\n#define KEYED {}\n"
      "#define REFINED_SAMPLES {}\n#define REFINED_REACH {:.8f}\n#define REFINED_CHANGE {:.8f}\n"
      "#line 1\n",
      mode_number(variant.mode), variant.lit ? 1 : 0, variant.floats ? 1 : 0, variant.keyed ? 1 : 0,
      variant.refine ? refined_samples : 1, refined_reach, refined_change);
  const char* const texts[] = {head.c_str(), cast_comp};
  const GlShader shader(gl.CreateShader(GL_COMPUTE_SHADER));
  gl.ShaderSource(shader.get(), 2, texts, nullptr);
  gl.CompileShader(shader.get());
  GLint good = GL_FALSE;
  char log[log_bytes] = "";
  gl.GetShaderiv(shader.get(), GL_COMPILE_STATUS, &good);
  if (good != GL_TRUE) {
    gl.GetShaderInfoLog(shader.get(), log_bytes, nullptr, log);
    throw GlLost(fmt::format("{}: cast.comp: {}", renderer, log));
  }
  GlProgram program(gl.CreateProgram());
  gl.AttachShader(program.get(), shader.get());
  gl.LinkProgram(program.get());
  gl.GetProgramiv(program.get(), GL_LINK_STATUS, &good);
  if (good != GL_TRUE) {
    gl.GetProgramInfoLog(program.get(), log_bytes, nullptr, log);
    throw GlLost(fmt::format("{}: cast.comp: {}", renderer, log));
  }
  gl.ObjectLabel(GL_PROGRAM, program.get(), -1, "cast");
  return program;
}

/// Copies rows of pixels that lie one after the other.
void copy_rows(const std::byte* from, const ImageView& to, int threads) {
  const std::size_t row_bytes = static_cast<std::size_t>(to.size_px.width) * 4;
  const int height = to.size_px.height;
  const auto shares = static_cast<int>(
      std::clamp<std::size_t>(row_bytes * static_cast<std::size_t>(height) / least_copied_bytes, 1,
                              static_cast<std::size_t>(threads)));
  share_work(shares, shares, [&](int share) {
    const auto first_of = [&](int i) {
      return static_cast<int>(std::int64_t{height} * i / shares);
    };
    for (int y = first_of(share); y < first_of(share + 1); ++y)
      std::memcpy(to.row(y), from + static_cast<std::size_t>(y) * row_bytes, row_bytes);
  });
}

}  // namespace

struct GlEngine::Parts {
  Parts(std::unique_ptr<GlDevice> opened, std::size_t budget_bytes)
      : device(std::move(opened)),
        cache(budget_bytes),
        numbers(make_buffer("numbers")),
        pixels(make_buffer("pixels")),
        readable(make_buffer("pixels for the processor")),
        colours(make_table_texture(GL_RGBA16F, "colours")),
        refinement(make_table_texture(GL_RG32F, "refinement")) {
    GLuint name = 0;
    gl.GenQueries(1, &name);
    timer = UniqueHandle<GlQueryTraits>(name);
  }

  void make_room(std::size_t bytes) {
    if (bytes <= room_bytes) return;
    // One buffer is on the GPU, where shaders write; the other one is where the processor reads,
    // after one copy over the bus.
    gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, pixels.get());
    gl.BufferData(GL_SHADER_STORAGE_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr,
                  GL_DYNAMIC_COPY);
    gl.BindBuffer(GL_COPY_WRITE_BUFFER, readable.get());
    gl.BufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr, GL_STREAM_READ);
    room_bytes = bytes;
  }

  void load_table(const TransferTable& table) {
    if (table.entries() == loaded_entries) return;
    gl.BindTexture(GL_TEXTURE_1D, colours.get());
    gl.TexSubImage1D(GL_TEXTURE_1D, 0, 0, static_cast<GLsizei>(table.entries().size()), GL_RGBA,
                     GL_FLOAT, table.entries().data());
    loaded_entries = table.entries();
  }

  void load_refinement(const TransferTable& table, const TransferTable& fine) {
    if (table.changes() == loaded_changes && fine.entries() == loaded_fine_entries) return;
    std::vector<float> pairs;
    pairs.reserve(2 * fine.entries().size());
    for (std::size_t i = 0; i < fine.entries().size(); ++i) {
      pairs.push_back(fine.entries()[i].a);
      pairs.push_back(table.changes()[i]);
    }
    gl.BindTexture(GL_TEXTURE_1D, refinement.get());
    gl.TexSubImage1D(GL_TEXTURE_1D, 0, 0, static_cast<GLsizei>(fine.entries().size()), GL_RG,
                     GL_FLOAT, pairs.data());
    loaded_changes = table.changes();
    loaded_fine_entries = fine.entries();
  }

  std::uint32_t draw_band(const CastNumbers& band, const ImageView& to, int threads);

  const std::unique_ptr<GlDevice> device;  // first member: destroyed last
  AtlasCache cache;
  std::array<std::optional<GlProgram>, 64> programs;
  GlBuffer numbers;
  GlBuffer pixels;
  GlBuffer readable;
  std::size_t room_bytes = 0;
  GlTexture colours;
  GlTexture refinement;
  std::vector<Rgba> loaded_entries;
  std::vector<float> loaded_changes;
  std::vector<Rgba> loaded_fine_entries;
  UniqueHandle<GlQueryTraits> timer;
  std::uint64_t gpu_ns = 0;
  const std::thread::id owner = std::this_thread::get_id();
};

std::uint32_t GlEngine::Parts::draw_band(const CastNumbers& band, const ImageView& to,
                                         int threads) {
  const auto groups = [](std::int32_t px) {
    return static_cast<GLuint>((px + group_side_px - 1) / group_side_px);
  };
  const std::size_t row_bytes = static_cast<std::size_t>(band.part[2]) * 4;
  const std::size_t bytes = count_bytes + row_bytes * static_cast<std::size_t>(band.part[3]);
  make_room(bytes);
  gl.BindBuffer(GL_UNIFORM_BUFFER, numbers.get());
  gl.BufferData(GL_UNIFORM_BUFFER, sizeof band, &band, GL_STREAM_DRAW);
  gl.BindBufferBase(GL_UNIFORM_BUFFER, 0, numbers.get());
  gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, pixels.get());
  const GLuint none = 0;
  gl.ClearBufferSubData(GL_SHADER_STORAGE_BUFFER, GL_R32UI, 0, count_bytes, GL_RED_INTEGER,
                        GL_UNSIGNED_INT, &none);
  gl.BeginQuery(GL_TIME_ELAPSED, timer.get());
  gl.DispatchCompute(groups(band.part[2]), groups(band.part[3]), 1);
  gl.EndQuery(GL_TIME_ELAPSED);
  gl.MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  gl.BindBuffer(GL_COPY_READ_BUFFER, pixels.get());
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, readable.get());
  gl.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0,
                       static_cast<GLsizeiptr>(bytes));
  const auto* const from = static_cast<const std::byte*>(
      gl.MapBufferRange(GL_COPY_WRITE_BUFFER, 0, static_cast<GLsizeiptr>(bytes), GL_MAP_READ_BIT));
  device->check("it drew a volume");  // checked before the pixels are used, which may be garbage
  if (from == nullptr) throw GlLost(device->renderer() + ": a picture cannot be read back");
  std::uint32_t samples = 0;
  std::memcpy(&samples, from, sizeof samples);
  copy_rows(from + count_bytes, to, std::min(threads, most_copying_threads));
  if (gl.UnmapBuffer(GL_COPY_WRITE_BUFFER) != GL_TRUE)
    throw GlLost(device->renderer() + ": a picture was lost on its way back");
  GLuint64 took_ns = 0;
  gl.GetQueryObjectui64v(timer.get(), GL_QUERY_RESULT, &took_ns);
  gpu_ns += took_ns;
  return samples;
}

std::unique_ptr<GlEngine> GlEngine::open(const GlEngineOptions& options, std::string& why_not) {
  std::unique_ptr<GlDevice> device = GlDevice::open(options.preference, why_not);
  if (device == nullptr) return nullptr;
  std::size_t budget = options.budget_bytes;
  if (budget == 0)
    budget = device->free_bytes() > 0 ? device->free_bytes() / 2 : unknown_gpu_budget_bytes;
  try {
    auto parts = std::make_unique<Parts>(std::move(device), budget);
    parts->device->check("it was set up");
    return std::unique_ptr<GlEngine>(new GlEngine(std::move(parts)));
  } catch (const GlLost& error) {
    why_not = error.what();
    return nullptr;
  }
}

GlEngine::GlEngine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
GlEngine::~GlEngine() = default;

const std::string& GlEngine::renderer() const noexcept { return parts_->device->renderer(); }
const GlDevice& GlEngine::device() const noexcept { return *parts_->device; }
AtlasCache& GlEngine::cache() noexcept { return parts_->cache; }
std::uint64_t GlEngine::gpu_ns() const noexcept { return parts_->gpu_ns; }

std::uint64_t GlEngine::cast(const CastVariant& variant, const BrickAtlas& atlas,
                             const TransferTable& table, const TransferTable* fine,
                             CastNumbers& numbers, int most_samples, const ImageView& to,
                             int threads) {
  TW_CHECK(std::this_thread::get_id() == parts_->owner);
  Parts& parts = *parts_;
  std::optional<GlProgram>& program = parts.programs[program_number(variant)];
  if (!program) program = make_program(variant, renderer());
  parts.load_table(table);
  if (fine != nullptr) parts.load_refinement(table, *fine);
  atlas.bind();
  gl.ActiveTexture(GL_TEXTURE3);
  gl.BindTexture(GL_TEXTURE_1D, parts.colours.get());
  gl.ActiveTexture(GL_TEXTURE4);
  gl.BindTexture(GL_TEXTURE_1D, parts.refinement.get());
  gl.UseProgram(program->get());
  parts.gpu_ns = 0;
  const std::int64_t width = numbers.part[2];
  const std::int64_t height = numbers.part[3];
  const int first_row = numbers.part[1];
  const std::int64_t rows =
      std::max<std::int64_t>(std::min(most_band_px, most_band_samples / most_samples) / width, 1);
  std::uint64_t samples = 0;
  for (std::int64_t row = 0; row < height; row += rows) {
    numbers.part[1] = first_row + static_cast<int>(row);
    numbers.part[3] = static_cast<std::int32_t>(std::min(rows, height - row));
    samples += parts.draw_band(
        numbers,
        {to.row(static_cast<int>(row)), {numbers.part[2], numbers.part[3]}, to.stride_bytes},
        threads);
  }
  return samples;
}

}  // namespace tilewall::render
