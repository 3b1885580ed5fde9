#include "checker/places.hpp"

#include <backtrace.h>
#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace heist::inline v0::checker {

namespace {

struct found_place {
  bool is_in_heist = false;  // the compiled function; what is inlined in it may be the program's
  std::string function{};
  std::string file{};
  int line = 0;
  bool is_found = false;
  bool takes_all = false;
};

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

bool starts_with_one_of(std::string_view text, std::initializer_list<std::string_view> starts) {
  for (const std::string_view start : starts)
    if (text.starts_with(start)) return true;
  return false;
}

// Without the result, with which a template's name begins: "void heist::v0::detail::run<...>()".
std::string_view without_result(std::string_view function) {
  for (const std::string_view result : {"void ", "bool ", "auto ", "decltype(auto) "})
    if (function.starts_with(result)) function.remove_prefix(result.size());
  return function;
}

bool is_of_heist(std::string_view function) {
  return starts_with_one_of(without_result(function), {"heist::", "heist_v0_"});
}

bool is_of_others(std::string_view function) {
  return starts_with_one_of(without_result(function),
                            {"std::", "__gthread", "__gnu", "pthread_", "_Unwind"});
}

// A program may have a folder src/runtime, too, and functions in a namespace heist, as heist's own
// workloads do.
bool is_in_libraries(std::string_view file, std::string_view function, bool is_in_heist) {
  const auto has = [&](std::string_view part) { return file.find(part) != std::string_view::npos; };
  if (has("include/heist/") || has("/include/c++/")) return true;
  if (is_in_heist || is_of_heist(function))
    for (const char* room : {"/src/runtime/", "/src/sync/", "/src/tasks/", "/src/graph/"})
      if (has(room)) return true;
  return is_of_others(function);
}

int keep_if_own(void* to, std::uintptr_t, const char* file, int line, const char* function) {
  auto& found = *static_cast<found_place*>(to);
  if (file == nullptr) return 0;
  const std::string name = function == nullptr ? "" : demangled(function);
  if (!found.takes_all && is_in_libraries(file, name, found.is_in_heist)) return 0;
  found = {found.is_in_heist, name, file, line, true, found.takes_all};
  return 1;
}

void keep_symbol(void* to, std::uintptr_t, const char* symbol, std::uintptr_t, std::uintptr_t) {
  if (symbol != nullptr) *static_cast<std::string*>(to) = demangled(symbol);
}

void ignore_error(void*, const char*, int) {}

std::string base_of(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

std::string offset_in_file(std::uintptr_t address) {
  Dl_info in{};
  if (::dladdr(reinterpret_cast<const void*>(address), &in) == 0 || in.dli_fname == nullptr)
    return {};
  char offset[2 + 2 * sizeof(void*) + 1];
  std::snprintf(
      offset, sizeof(offset), "0x%llx",
      static_cast<unsigned long long>(address - reinterpret_cast<std::uintptr_t>(in.dli_fbase)));
  return base_of(in.dli_fname) + "+" + offset;
}

// The debug information is read once, and kept.
backtrace_state* known_places() {
  static backtrace_state* const state =
      ::backtrace_create_state(nullptr, 0, &ignore_error, nullptr);
  return state;
}

// A long name without its arguments: "f<...>(...)".
std::string shortened(const std::string& function) {
  constexpr std::size_t longest = 80;
  if (function.size() <= longest) return function;
  std::string text;
  std::string open;  // the brackets whose contents are left out
  for (const char c : function) {
    const bool is_operator =
        open.empty() && (text.ends_with("operator") || text.ends_with("operator("));
    if (is_operator || (open.empty() && c != '(' && c != '<')) {
      text += c;
    } else if (c == '(' || c == '<') {
      if (open.empty()) (text += c) += "...";
      open += c == '(' ? ')' : '>';
    } else if (c == open.back()) {
      open.pop_back();
      if (open.empty()) text += c;
    }
  }
  return text;
}

std::string text_of(const found_place& found) {
  return base_of(found.file) + ":" + std::to_string(found.line) +
         (found.function.empty() ? "" : " in " + shortened(found.function));
}

}  // namespace

std::string place_of(std::span<const std::uintptr_t> chain, bool or_theirs) {
  backtrace_state* const state = known_places();
  std::string named;  // without debug information: the first function of the program's own
  for (const std::uintptr_t address : chain) {
    std::string symbol;
    ::backtrace_syminfo(state, address, &keep_symbol, &ignore_error, &symbol);
    found_place found{is_of_heist(symbol) || is_of_others(symbol)};
    ::backtrace_pcinfo(state, address, &keep_if_own, &ignore_error, &found);
    if (!found.is_found && or_theirs) {
      found.takes_all = true;
      ::backtrace_pcinfo(state, address, &keep_if_own, &ignore_error, &found);
    }
    if (found.is_found) return text_of(found);
    if (named.empty() && !symbol.empty() && !found.is_in_heist)
      named = symbol + " (" + offset_in_file(address) + ")";
  }
  if (!named.empty()) return named;
  return chain.empty() ? "?" : offset_in_file(chain.front());
}

std::string symbol_at(std::uintptr_t address) {
  std::string symbol;
  ::backtrace_syminfo(known_places(), address, &keep_symbol, &ignore_error, &symbol);
  return symbol;
}

}  // namespace heist::inline v0::checker
