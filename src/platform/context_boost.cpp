// The context switch on top of Boost.Context's fcontext, for processors without an assembly file of
// ours. Contract: context.hpp. Slower than the assembly by one more copy of a pointer pair; what is
// saved is Boost's choice and, by its documentation, what the ABI's callees must save.
//
// fcontext hands the suspended context's handle to the one that runs next; our contract stores it
// where the suspended one said. So the payload travels in a letter on the suspended stack, and the
// receiver stores the handle by it before anything else.
#include <boost/context/detail/fcontext.hpp>

#include "context.hpp"
#include "fatal.hpp"

namespace {

namespace fc = boost::context::detail;

struct letter {
  void** from_sp;  // where the sender's handle goes
  void* payload;
};

using entry_function = void (*)(void*);

// Opens the letter: the sender is suspended from now on, and its handle stands where it wanted it.
void* receive(fc::transfer_t arrival) noexcept {
  const letter sent = *static_cast<letter*>(arrival.data);
  *sent.from_sp = arrival.fctx;
  return sent.payload;
}

// A fresh context. It is first entered by context_make, which brings the entry and takes the handle
// that waits for the first real switch.
void start(fc::transfer_t arrival) {
  const entry_function entry = *static_cast<entry_function*>(arrival.data);
  entry(receive(fc::jump_fcontext(arrival.fctx, nullptr)));
  heist::platform::fatal("the entry of a context has returned");
}

}  // namespace

void* heist_v0_context_switch(void** from_sp, void* to_sp, void* payload) noexcept {
  letter sent{from_sp, payload};
  return receive(fc::jump_fcontext(to_sp, &sent));
}

void* heist_v0_context_make(void* stack_top, void (*entry)(void* payload)) noexcept {
  // The size is not used on the systems that we run on; 0 says that nobody should rely on it.
  const fc::fcontext_t fresh = fc::make_fcontext(stack_top, 0, start);
  entry_function brought = entry;
  return fc::jump_fcontext(fresh, &brought).fctx;
}

namespace {

struct call_record {
  void** caller;
  void (*function)(void*, void*, std::uint64_t);
  void* argument;
  void* stack_top;
  std::uint64_t number;
};

void run_call(void* payload) {
  const call_record call = *static_cast<call_record*>(payload);
  call.function(call.argument, call.stack_top, call.number);
  void* left;  // this context isn't used again
  heist_v0_context_switch(&left, *call.caller, nullptr);
}

}  // namespace

void* heist_v0_context_call(void* argument, void* stack_top, std::uint64_t number,
                            void (*function)(void*, void*, std::uint64_t), void** from_sp,
                            std::uint64_t /*float_modes*/) noexcept {
  call_record call{from_sp, function, argument, stack_top, number};
  return heist_v0_context_switch(from_sp, heist_v0_context_make(stack_top, run_call), &call);
}
