// The smallest fiber that is sufficient for tests: a body on a stack of its own, resumed and
// suspended explicitly. It tells the sanitizers about its switches, so that they treat exceptions
// and stack addresses inside it as on an ordinary stack. The runtime has a different class for its
// fibers; these tests do not depend on it.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <utility>

#include "platform/context.hpp"
#include "platform/stack_memory.hpp"
#include "sanitizers.hpp"

namespace heist_test {

class test_fiber {
 public:
  using body = std::function<void(test_fiber&)>;

  explicit test_fiber(body run, std::size_t stack_bytes = 256 * 1024)
      : run_(std::move(run)), stack_(*heist::platform::allocate_stack(stack_bytes, 0)) {
    fiber_.created();
    inside_ = heist::platform::make_context(stack_.top(), stack_.base, &enter);
  }

  ~test_fiber() {
    fiber_.destroyed();
    heist::platform::release_stack(stack_);
  }

  test_fiber(const test_fiber&) = delete;
  test_fiber& operator=(const test_fiber&) = delete;

  // Runs the body until its next suspend or its end; returns the value that it passed, or null at
  // its end.
  void* resume(void* payload = nullptr) {
    if (!started_) {
      started_ = true;
      first_payload_ = payload;
      payload = this;
    }
    fiber_.entering(stack_.base, stack_.size);
    void* const given = heist::platform::switch_context(&outside_, inside_, payload);
    fiber_.back_outside();
    return given;
  }

  // Called by the body: switches back to the resumer, and returns the value of the next resume.
  void* suspend(void* payload = nullptr) {
    fiber_.leaving();
    void* const brought = heist::platform::switch_context(&inside_, outside_, payload);
    fiber_.back_inside();
    return brought;
  }

  [[nodiscard]] void* first_payload() const { return first_payload_; }
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] const heist::platform::stack_memory& stack() const { return stack_; }

 private:
  static void enter(void* self) {
    auto& fiber = *static_cast<test_fiber*>(self);
    fiber.fiber_.back_inside();
    fiber.run_(fiber);
    fiber.finished_ = true;
    fiber.fiber_.leaving_for_good();
    heist::platform::switch_context(&fiber.inside_, fiber.outside_, nullptr);
    std::abort();
  }

  body run_;
  heist::platform::stack_memory stack_;
  sanitizer_fiber fiber_;
  void* inside_ = nullptr;
  void* outside_ = nullptr;
  void* first_payload_ = nullptr;
  bool started_ = false;
  bool finished_ = false;
};

}  // namespace heist_test
