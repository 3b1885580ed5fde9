// A picture, and the steps of libjxl's interface from a picture to a file and back.
#pragma once

#include <jxl/decode_cxx.h>
#include <jxl/encode_cxx.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace jpeg_xl {

using bytes = std::vector<std::uint8_t>;

struct picture {
  std::uint32_t width, height;
  bytes rgb;
};

// Waves and some noise, the same in each run.
inline picture waves(std::uint32_t width, std::uint32_t height) {
  picture p{width, height, bytes(std::size_t{width} * height * 3)};
  std::uint32_t noise = 1;
  for (std::size_t i = 0; i < p.rgb.size(); ++i) {
    const std::size_t pixel = i / 3;
    noise = noise * 1664525 + 1013904223;
    p.rgb[i] = static_cast<std::uint8_t>((pixel % width * (1 + i % 3) / 3) ^ (pixel / width) ^
                                         (noise >> 29));
  }
  return p;
}

inline void check(bool is_right, const char* step) {
  if (!is_right) throw std::runtime_error(std::string("libjxl refuses: ") + step);
}

constexpr JxlPixelFormat rgb_format{3, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};

// effort: 1 to 9.
inline bytes encoded(const picture& p, JxlParallelRunner runner, void* where, int effort = 5) {
  const JxlEncoderPtr encoder = JxlEncoderMake(nullptr);
  check(JxlEncoderSetParallelRunner(encoder.get(), runner, where) == JXL_ENC_SUCCESS, "a runner");
  JxlBasicInfo info;
  JxlEncoderInitBasicInfo(&info);
  info.xsize = p.width;
  info.ysize = p.height;
  info.bits_per_sample = 8;
  check(JxlEncoderSetBasicInfo(encoder.get(), &info) == JXL_ENC_SUCCESS, "the size");
  JxlColorEncoding colors;
  JxlColorEncodingSetToSRGB(&colors, JXL_FALSE);
  check(JxlEncoderSetColorEncoding(encoder.get(), &colors) == JXL_ENC_SUCCESS, "the colors");
  JxlEncoderFrameSettings* const settings = JxlEncoderFrameSettingsCreate(encoder.get(), nullptr);
  check(JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, effort) ==
            JXL_ENC_SUCCESS,
        "the effort");
  check(
      JxlEncoderAddImageFrame(settings, &rgb_format, p.rgb.data(), p.rgb.size()) == JXL_ENC_SUCCESS,
      "the picture");
  JxlEncoderCloseInput(encoder.get());
  bytes file(std::size_t{1} << 16);
  std::uint8_t* next = file.data();
  std::size_t left = file.size();
  JxlEncoderStatus status;
  while ((status = JxlEncoderProcessOutput(encoder.get(), &next, &left)) ==
         JXL_ENC_NEED_MORE_OUTPUT) {
    const auto written = static_cast<std::size_t>(next - file.data());
    file.resize(2 * file.size());
    next = file.data() + written;
    left = file.size() - written;
  }
  check(status == JXL_ENC_SUCCESS, "to encode");
  file.resize(file.size() - left);
  return file;
}

inline picture decoded(const bytes& file, JxlParallelRunner runner, void* where) {
  const JxlDecoderPtr decoder = JxlDecoderMake(nullptr);
  check(JxlDecoderSetParallelRunner(decoder.get(), runner, where) == JXL_DEC_SUCCESS, "a runner");
  check(JxlDecoderSubscribeEvents(decoder.get(), JXL_DEC_BASIC_INFO | JXL_DEC_FULL_IMAGE) ==
            JXL_DEC_SUCCESS,
        "the events");
  check(JxlDecoderSetInput(decoder.get(), file.data(), file.size()) == JXL_DEC_SUCCESS, "a file");
  JxlDecoderCloseInput(decoder.get());
  picture p{};
  for (;;) {
    switch (JxlDecoderProcessInput(decoder.get())) {
      case JXL_DEC_BASIC_INFO: {
        JxlBasicInfo info;
        check(JxlDecoderGetBasicInfo(decoder.get(), &info) == JXL_DEC_SUCCESS, "the size");
        p = {info.xsize, info.ysize, bytes(std::size_t{info.xsize} * info.ysize * 3)};
        break;
      }
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
        check(JxlDecoderSetImageOutBuffer(decoder.get(), &rgb_format, p.rgb.data(), p.rgb.size()) ==
                  JXL_DEC_SUCCESS,
              "the buffer");
        break;
      case JXL_DEC_FULL_IMAGE:
        break;
      case JXL_DEC_SUCCESS:
        return p;
      default:
        check(false, "to decode");
    }
  }
}

}  // namespace jpeg_xl
