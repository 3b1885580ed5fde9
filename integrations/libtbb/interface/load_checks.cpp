// What is looked at when the library is loaded, so that a program that cannot work is told so at
// once and not in the middle of a run.
//
// A function of the library that is missing would end the program at its first call, since
// functions are bound lazily. So the constructor below reads what the objects that are loaded so
// far want from tbb::detail::r1. What is loaded later by dlopen() is not looked at.
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "parts/abi.hpp"

namespace heist::inline v0::libtbb {

namespace {

// The status of the dynamic loader for a symbol that it does not find.
constexpr int loader_status = 127;

// The tables of an object, by which the loader binds its symbols.
struct tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * relocations[2] = {nullptr, nullptr};
  std::size_t bytes[2] = {0, 0};
};

tables tables_of(const dl_phdr_info& object) noexcept {
  tables t;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      const auto at = entry->d_un.d_ptr;  // glibc has added the object's place to the pointers
      switch (entry->d_tag) {
        case DT_SYMTAB:
          t.symbols = reinterpret_cast<const ElfW(Sym)*>(at);
          break;
        case DT_STRTAB:
          t.names = reinterpret_cast<const char*>(at);
          break;
        case DT_JMPREL:
          t.relocations[0] = reinterpret_cast<const ElfW(Rela)*>(at);
          break;
        case DT_PLTRELSZ:
          t.bytes[0] = entry->d_un.d_val;
          break;
        case DT_RELA:
          t.relocations[1] = reinterpret_cast<const ElfW(Rela)*>(at);
          break;
        case DT_RELASZ:
          t.bytes[1] = entry->d_un.d_val;
          break;
        default:
          break;
      }
    }
  }
  return t;
}

bool is_ours(const char* name) noexcept {
  const std::string_view n(name);
  return n.starts_with("_ZN3tbb6detail2r1") || n.starts_with("_ZNK3tbb6detail2r1");
}

[[noreturn]] void refuse(const char* object, const char* symbol) noexcept {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  std::fprintf(stderr,
               "heist-tbb: %s needs %s, which oneTBB " TBB_VERSION_STRING
               " does not have, for which this library stands\n",
               *object != '\0' ? object : "the program", readable ? readable.get() : symbol);
  ::_exit(loader_status);
}

int look_at(dl_phdr_info* object, std::size_t, void*) noexcept {
  const std::string_view path = object->dlpi_name;
  if (path.find("vdso") != std::string_view::npos) return 0;
  const tables t = tables_of(*object);
  if (t.symbols == nullptr || t.names == nullptr) return 0;
  for (int k = 0; k < 2; ++k) {
    const std::size_t count = t.relocations[k] == nullptr ? 0 : t.bytes[k] / sizeof(ElfW(Rela));
    for (std::size_t i = 0; i < count; ++i) {
      const ElfW(Sym)& symbol = t.symbols[ELF64_R_SYM(t.relocations[k][i].r_info)];
      const char* const name = t.names + symbol.st_name;
      if (symbol.st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_WEAK) continue;
      if (is_ours(name) && ::dlsym(RTLD_DEFAULT, name) == nullptr) refuse(object->dlpi_name, name);
    }
  }
  return 0;
}

// Another library of that name, whose arenas and tasks are not ours.
int look_for_another(dl_phdr_info* object, std::size_t, void* own) noexcept {
  const std::string_view path = object->dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.starts_with("libtbb.so") || object->dlpi_addr == reinterpret_cast<ElfW(Addr)>(own))
    return 0;
  std::fprintf(stderr,
               "heist-tbb: %s is loaded, too: what uses it has threads of its own, and must not "
               "share arenas or tasks with the rest\n",
               object->dlpi_name);
  return 1;
}

[[gnu::constructor]] void check_at_load() noexcept {
  ::dl_iterate_phdr(&look_at, nullptr);
  ::Dl_info own{};
  if (::dladdr(reinterpret_cast<const void*>(&check_at_load), &own) != 0)
    ::dl_iterate_phdr(&look_for_another, own.dli_fbase);
}

}  // namespace

}  // namespace heist::inline v0::libtbb
