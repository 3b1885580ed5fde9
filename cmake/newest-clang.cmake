# Toolchain: the newest clang++ that has its sanitizer runtimes, for the presets tsan and
# asan-ubsan.
#
# The default compiler is not suitable: g++ 12's ThreadSanitizer takes 2 ms for a fiber and stops at
# 8,128 of them. clang's has neither limit, and a newer one supports newer kernels.

if(NOT DEFINED CMAKE_CXX_COMPILER)
  foreach(name clang++-22 clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++
               clang++-14)
    find_program(heist_clang_${name} ${name})
    mark_as_advanced(heist_clang_${name})
    if(heist_clang_${name})
      execute_process(COMMAND "${heist_clang_${name}}" -print-resource-dir
                      OUTPUT_VARIABLE heist_resource_dir OUTPUT_STRIP_TRAILING_WHITESPACE)
      file(GLOB heist_tsan_runtimes "${heist_resource_dir}/lib/*/libclang_rt.tsan*.a")
      if(heist_tsan_runtimes)
        set(CMAKE_CXX_COMPILER "${heist_clang_${name}}")
        break()
      endif()
    endif()
  endforeach()
  if(NOT DEFINED CMAKE_CXX_COMPILER)
    message(FATAL_ERROR "No clang++ with sanitizer runtimes found (Debian: clang-19 libclang-rt-19-dev)")
  endif()
endif()
