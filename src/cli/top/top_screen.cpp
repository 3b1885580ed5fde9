// curses is a header of many macros, so only this file includes it.
#include "cli/top/top_screen.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#define NCURSES_NOMACROS 1
#include <curses.h>

#include <fmt/format.h>

#include <heist/error.hpp>

namespace heist::cli {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds look_patience{200};  // keys aren't read meanwhile
constexpr int key_wait_ms = 100;

std::atomic<int> ended_by{0};
void note_signal(int signal) { ended_by.store(signal, std::memory_order_relaxed); }

// The signals that would end the command end the view instead, so that the terminal is put right.
class noted_signals {
 public:
  noted_signals() {
    ended_by.store(0, std::memory_order_relaxed);
    struct sigaction ours {};
    ours.sa_handler = &note_signal;
    for (std::size_t i = 0; i < std::size(signals); ++i) sigaction(signals[i], &ours, &before_[i]);
  }
  ~noted_signals() {
    for (std::size_t i = 0; i < std::size(signals); ++i)
      sigaction(signals[i], &before_[i], nullptr);
  }
  noted_signals(const noted_signals&) = delete;
  noted_signals& operator=(const noted_signals&) = delete;

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  struct sigaction before_[std::size(signals)]{};
};

// The terminal while the view has it.
class terminal {
 public:
  terminal() : screen_(newterm(nullptr, stdout, stdin)) {
    if (screen_ == nullptr) {
      const char* const kind = std::getenv("TERM");
      throw resource_error(
          fmt::format("top: unknown kind of terminal: TERM={}", kind == nullptr ? "" : kind));
    }
    cbreak();
    noecho();
    nonl();
    curs_set(0);
    keypad(stdscr, true);
    wtimeout(stdscr, key_wait_ms);
    if (has_colors() && start_color() == OK && use_default_colors() == OK) {
      init_pair(green, COLOR_GREEN, -1);
      init_pair(yellow, COLOR_YELLOW, -1);
      init_pair(red, COLOR_RED, -1);
      init_pair(blue, COLOR_BLUE, -1);
      has_colour_ = true;
    }
  }
  ~terminal() {
    endwin();
    delscreen(screen_);
  }
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;

  enum colour : short { none, green, yellow, red, blue };
  // Each state has its word, so the colours say nothing that isn't written.
  static colour colour_of(seen_state s) {
    switch (s) {
      case seen_state::runs:
        return green;
      case seen_state::searches:
        return yellow;
      case seen_state::blocked:
        return red;
      case seen_state::asleep:
        return blue;
    }
    return none;
  }

  // One line; what doesn't fit is cut.
  void line(int y, const std::string& text, attr_t attributes = A_NORMAL) const {
    if (y < 0 || y >= getmaxy(stdscr)) return;
    wattrset(stdscr, static_cast<int>(attributes));
    mvwaddnstr(stdscr, y, 0, text.c_str(), getmaxx(stdscr));
    wattrset(stdscr, A_NORMAL);
  }
  void coloured(int y, int x, const std::string& text, colour c) const {
    if (y < 0 || y >= getmaxy(stdscr) || x >= getmaxx(stdscr)) return;
    if (has_colour_) wattrset(stdscr, COLOR_PAIR(c));
    mvwaddnstr(stdscr, y, x, text.c_str(), getmaxx(stdscr) - x);
    wattrset(stdscr, A_NORMAL);
  }

 private:
  SCREEN* screen_;
  bool has_colour_ = false;
};

// "12.3k": at most five characters.
std::string short_number(double n) {
  constexpr const char* units[] = {"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  while (n >= 999.5 && unit + 1 < std::size(units)) {
    n /= 1000;
    ++unit;
  }
  return unit == 0 || n >= 99.95 ? fmt::format("{:.0f}{}", n, units[unit])
                                 : fmt::format("{:.1f}{}", n, units[unit]);
}

struct shown_line {
  std::string text;
  attr_t attributes = A_NORMAL;
  int state_at = -1;  // where a state's word begins
  seen_state state = seen_state::asleep;
};

constexpr int state_column = 8;

shown_line worker_line(const seen_process& now, const seen_process* before, std::size_t p,
                       std::size_t w) {
  const seen_worker& worker = now.pools[p].workers[w];
  const auto rates = rates_of(now, before, p, w);
  const auto rate = [&rates](double seen_rates::*which) {
    return rates ? short_number(*rates.*which) : std::string("-");
  };
  constexpr std::size_t widest_bar = 16;
  const std::string bar(std::min<std::uint64_t>(worker.depth, widest_bar), '|');
  return {fmt::format("{:>6}  {:<9}{:<7}{:>6} {:<16}{:>9}{:>9}{:>9}{:>9}{:>10}{:>10}", worker.index,
                      to_string(worker.state), worker.is_caller ? "caller" : "", worker.depth, bar,
                      rate(&seen_rates::steals), rate(&seen_rates::failed_steals),
                      rate(&seen_rates::wakes), rate(&seen_rates::parks),
                      short_number(static_cast<double>(worker.counts.steals)),
                      short_number(static_cast<double>(worker.counts.suspends))),
          A_NORMAL, state_column, worker.state};
}

std::vector<shown_line> lines_of(const seen_process& now, const seen_process* before) {
  std::vector<shown_line> lines;
  for (std::size_t p = 0; p < now.pools.size(); ++p) {
    const seen_pool& pool = now.pools[p];
    std::size_t of_state[4] = {};
    for (const seen_worker& w : pool.workers) ++of_state[static_cast<std::size_t>(w.state)];
    lines.push_back(
        {fmt::format("pool {}: {} workers, {} run, {} search, {} blocked, {} asleep", pool.name,
                     pool.workers.size(), of_state[1], of_state[0], of_state[2], of_state[3]),
         A_BOLD});
    lines.push_back({fmt::format("  {}", pool.policies)});
    lines.push_back({fmt::format(
        "  suspended fibers {}, waiting outside {}, stacks {} ({} at most), blocking calls {} now",
        pool.suspended, pool.injected, pool.stacks_in_use, pool.stacks_peak,
        pool.blocking_threads)});
    lines.push_back({fmt::format("{:>6}  {:<9}{:<7}{:>6} {:<16}{:>9}{:>9}{:>9}{:>9}{:>10}{:>10}",
                                 "worker", "does", "", "depth", "", "steals/s", "failed/s",
                                 "wakes/s", "sleeps/s", "steals", "suspends"),
                     A_UNDERLINE});
    for (std::size_t w = 0; w < pool.workers.size(); ++w)
      lines.push_back(worker_line(now, before, p, w));
    lines.push_back({});
  }
  if (now.pools.empty()) lines.push_back({"no pools"});
  if (now.left_out != 0) lines.push_back({fmt::format("{} workers are left out", now.left_out)});
  return lines;
}

class view {
 public:
  view(monitored_process& process, double interval)
      : process_(process), interval_(std::chrono::nanoseconds(std::llround(interval * 1e9))) {}

  screen_end run() {
    const noted_signals signals;
    const terminal screen;
    auto next = clock::now();
    for (;;) {
      if (const int signal = ended_by.load(std::memory_order_relaxed)) return {false, signal};
      if (clock::now() >= next || !now_) {
        if (!look()) return {true, 0};
        next = clock::now() + interval_;
        draw(screen);
      }
      const int key = wgetch(stdscr);
      if (key == 'q' || key == 'Q') return {};
      if (key != ERR && !move(key)) continue;
      if (key != ERR) draw(screen);
    }
  }

 private:
  // False: the process has ended.
  bool look() {
    auto seen = process_.look(look_patience);
    if (!seen) {
      is_silent_ = true;
      return !process_.has_ended();
    }
    is_silent_ = false;
    before_ = std::move(now_);
    now_ = std::move(seen);
    return true;
  }

  // False: the key means nothing here.
  bool move(int key) {
    const int page = std::max(getmaxy(stdscr) - 3, 1);
    switch (key) {
      case KEY_RESIZE:
        return true;
      case KEY_UP:
        first_ -= 1;
        return true;
      case KEY_DOWN:
        first_ += 1;
        return true;
      case KEY_PPAGE:
        first_ -= page;
        return true;
      case KEY_NPAGE:
        first_ += page;
        return true;
      default:
        return false;
    }
  }

  void draw(const terminal& screen) {
    werase(stdscr);
    const int height = getmaxy(stdscr);
    screen.line(0,
                fmt::format("heist top: process {} ({}){}", process_.pid(), process_.command(),
                            is_silent_ ? "; it doesn't answer: is it stopped?" : ""),
                A_REVERSE);
    if (now_) {
      const auto lines = lines_of(*now_, before_ ? &*before_ : nullptr);
      const int rows = std::max(height - 2, 0);
      first_ = std::clamp(first_, 0, std::max(static_cast<int>(lines.size()) - rows, 0));
      for (int i = 0; i < rows && first_ + i < static_cast<int>(lines.size()); ++i) {
        const shown_line& l = lines[static_cast<std::size_t>(first_ + i)];
        screen.line(1 + i, l.text, l.attributes);
        if (l.state_at >= 0)
          screen.coloured(1 + i, l.state_at, std::string(to_string(l.state)),
                          terminal::colour_of(l.state));
      }
    }
    screen.line(height - 1, "q: quit   arrows, page keys: scroll", A_DIM);
    wrefresh(stdscr);
  }

  monitored_process& process_;
  const std::chrono::nanoseconds interval_;
  std::optional<seen_process> now_, before_;
  bool is_silent_ = false;
  int first_ = 0;  // the line at the top
};

}  // namespace

screen_end show_on_screen(monitored_process& process, double interval) {
  return view(process, interval).run();
}

}  // namespace heist::cli
