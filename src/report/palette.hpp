// Colours that can be told apart with each of the common colour deficiencies, after Okabe and Ito;
// the second set is lighter, for dark surroundings.
#pragma once

#include <array>
#include <string_view>

namespace heist::report {

inline constexpr std::array<std::string_view, 8> light_palette = {
    "#0072b2", "#d55e00", "#00875f", "#a0522d", "#b0488a", "#5b5bd6", "#8a6d00", "#555555"};
inline constexpr std::array<std::string_view, 8> dark_palette = {
    "#56b4e9", "#ff9e57", "#35d0a0", "#d99a72", "#ee8fc7", "#a3a3ff", "#e0c341", "#b0b0b0"};

}  // namespace heist::report
