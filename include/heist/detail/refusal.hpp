// What the compiler says of a call that suits no form of a function: one sentence.
//
// Compilers answer such a call with a list of all forms and of what each of them requires. So each
// function has a last form, which takes part only where no other one does, and which says what is
// wrong. The price: std::is_invocable is true of heist's functions for any arguments. What a
// function requires of its arguments is asked of the arguments.
#pragma once

#include <type_traits>

#include "heist/detail/requirements.hpp"

namespace heist::inline v0 {

class pool;
class task_scope;

namespace detail {

// What a refused call returns: it converts to whatever the program expects, so that no second error
// follows the first.
struct refused {
  template <class T>
  operator T() const;
};

enum class refusal : unsigned char {
  none,
  arguments,
  // functions
  not_callable,
  not_copyable,
  result_not_movable,
  body_of_index,
  body_of_element,
  body_of_block,
  body_is_const,
  predicate,
  predicate_result,
  comparator,
  comparator_result,
  operation,
  operation_result,
  transform,
  generator,
  bin,
  chunk_body,
  chunk_fold,
  chunk_combine,
  chunk_sum,
  accumulator,
  chunk_put_out,
  scope_function,
  after_value,
  after_nothing,
  node_function,
  job_function,
  job_bytes,
  job_size,
  graph_alignment,
  source,
  source_result,
  stage_kind,
  stage_input,
  stage_output,
  // what stands in front
  pool_place,
  before_function,
  stop_condition,
  stop_unsuitable,
  stop_header,
  // ranges, values
  iterator,
  not_a_range,
  range_of_temporary,
  range_kind,
  iterators_of_loop,
  partitioner,
  factory,
  combining,
  visiting,
  output,
  element,
  value,
  index_types,
};

// A constant, since compilers explain the value of an expression in more lines.
template <refusal Why, refusal Other>
inline constexpr bool is_not = Why != Other;

// The sentences. Each says what is wrong and what it must be. The types `Of` delay it until the
// caller is instantiated. A class, since each function in between would be one more line or three.
template <refusal Why, class... Of>
struct say {
  using enum refusal;
  static_assert(is_not<Why, arguments>,
                "heist: the number or the kinds of the arguments suit no form of this function: "
                "its header lists the forms");
  static_assert(is_not<Why, not_callable>,
                "heist: the function can't be called without arguments: capture in a lambda what "
                "it needs");
  static_assert(is_not<Why, not_copyable>,
                "heist: the function is kept, and this one can't be copied: pass std::move(f), or "
                "the lambda itself");
  static_assert(is_not<Why, result_not_movable>,
                "heist: the function's result can't be moved: return a pointer, a reference or a "
                "std::unique_ptr");
  static_assert(is_not<Why, body_of_index>,
                "heist: the loop's body can't be called with one index, whose type is the common "
                "type of first and last");
  static_assert(is_not<Why, body_of_element>,
                "heist: the function can't be called with one element of the range");
  static_assert(is_not<Why, body_of_block>,
                "heist: the loop's body can't be called with a const block&, nor with one index "
                "(std::size_t) for each dimension");
  static_assert(is_not<Why, body_is_const>,
                "heist: the function is const, but its operator() isn't: remove 'mutable' from the "
                "lambda, or the const from the variable");
  static_assert(is_not<Why, predicate>,
                "heist: the predicate can't be called with one element of the range");
  static_assert(is_not<Why, predicate_result>,
                "heist: the predicate's result must convert to bool");
  static_assert(is_not<Why, comparator>,
                "heist: the comparator can't be called with two elements of the range");
  static_assert(is_not<Why, comparator_result>,
                "heist: the comparator's result must convert to bool");
  static_assert(is_not<Why, operation>,
                "heist: the operation can't be called with two values of the result's type, or "
                "with one and an element of the range");
  static_assert(is_not<Why, operation_result>,
                "heist: the operation's result must convert to the type of the initial value");
  static_assert(is_not<Why, transform>,
                "heist: the transforming function can't be called with one element of each range");
  static_assert(is_not<Why, generator>, "heist: the generator can't be called without arguments");
  static_assert(is_not<Why, bin>,
                "heist: the function bin can't be called with one element of the range and return "
                "an integer");
  static_assert(is_not<Why, chunk_body>,
                "heist: the loop's body can't be called with a chunk, body(first, last)");
  static_assert(is_not<Why, chunk_fold>,
                "heist: fold can't be called as fold(first, last, accumulator) and return an "
                "accumulator");
  static_assert(is_not<Why, chunk_combine>,
                "heist: combine can't be called with two accumulators and return one");
  static_assert(is_not<Why, chunk_sum>,
                "heist: sum can't be called with a chunk, sum(first, last), and return a sum");
  static_assert(
      is_not<Why, accumulator>,
      "heist: the initial value must be copyable: each chunk begins with a copy (and that "
      "of a scan assignable)");
  static_assert(is_not<Why, chunk_put_out>,
                "heist: put_out can't be called as put_out(first, last, prefix) and return nothing "
                "or the next prefix");
  static_assert(is_not<Why, scope_function>,
                "heist: the scope's function can't be called with a heist::task_scope&");
  static_assert(is_not<Why, after_value>,
                "heist: then's function can't be called with the future's result, moved");
  static_assert(is_not<Why, after_nothing>,
                "heist: then's function must take no arguments: the future is of void");
  static_assert(is_not<Why, node_function>,
                "heist: the graph's function can't be called without arguments, nor with a "
                "heist::task_graph::running&");
  static_assert(is_not<Why, job_function>,
                "heist: the job's function can't be called without arguments, nor with a "
                "heist::job_system::job");
  static_assert(is_not<Why, job_bytes>,
                "heist: a job's function is copied as bytes, and this one can't be: capture "
                "references or pointers");
  static_assert(
      is_not<Why, job_size>,
      "heist: a job's function has at most job_system::data_bytes, aligned to 16: capture "
      "a pointer to the rest");
  static_assert(is_not<Why, graph_alignment>,
                "heist: the graph's function is aligned to more than a page: pass std::ref(f)");
  static_assert(is_not<Why, source>,
                "heist: the pipeline's source can't be called without arguments");
  static_assert(is_not<Why, source_result>,
                "heist: the pipeline's source must return a std::optional by value, which is empty "
                "at the end");
  static_assert(is_not<Why, stage_kind>,
                "heist: each stage of a pipeline must be wrapped: in_parallel(f), in_order(f) or "
                "out_of_order(f)");
  static_assert(is_not<Why, stage_input>,
                "heist: a stage of the pipeline can't be called with what the one before it "
                "returns, moved");
  static_assert(is_not<Why, stage_output>,
                "heist: only the last stage of a pipeline may return nothing");
  static_assert(is_not<Why, pool_place>,
                "heist: a pool comes first, is passed once, and is neither const nor a temporary");
  static_assert(is_not<Why, before_function>,
                "heist: what stands before the function is no pool, no stop condition and no other "
                "option of this call");
  static_assert(is_not<Why, stop_condition>,
                "heist: this function takes no stop condition: ask the condition between two "
                "calls");
  static_assert(is_not<Why, stop_unsuitable>,
                "heist: stop_requested() of a stop condition must be const, noexcept and return "
                "bool");
  static_assert(is_not<Why, stop_header>,
                "heist: a stop condition needs #include <heist/cancellation.hpp>");
  static_assert(is_not<Why, iterator>,
                "heist: the iterators must be random-access: copy the elements to a std::vector "
                "first");
  static_assert(is_not<Why, not_a_range>,
                "heist: the first argument is no range, no iterator and no pool that suits this "
                "function");
  static_assert(is_not<Why, range_of_temporary>,
                "heist: the range is a temporary object that owns its elements: give it a name "
                "first");
  static_assert(is_not<Why, range_kind>,
                "heist: the range must be random-access and know its size: copy the elements to a "
                "std::vector first");
  static_assert(is_not<Why, iterators_of_loop>,
                "heist: parallel_for takes indices, a range or a block: heist::for_each takes "
                "iterators");
  static_assert(is_not<Why, partitioner>,
                "heist: the last argument is no partitioner: it must have run(n, work, workers)");
  static_assert(is_not<Why, factory>,
                "heist: the factory must be copyable, and callable without arguments for a value");
  static_assert(is_not<Why, combining>,
                "heist: the operation can't be called with two const values and return one");
  static_assert(is_not<Why, visiting>,
                "heist: the function can't be called with one of the values, T&");
  static_assert(is_not<Why, output>,
                "heist: the output must be a random-access iterator to which the results can be "
                "assigned");
  static_assert(is_not<Why, element>,
                "heist: the result's type can't be made of an element of the range");
  static_assert(is_not<Why, value>,
                "heist: the value can't be compared with an element of the range");
  static_assert(is_not<Why, index_types>,
                "heist: indices are integers of at most 64 bits, not bool");
};

// The same for the arguments of class templates, as a part of a concept: compilers quote it.
consteval bool demand(bool fulfilled, const char*) { return fulfilled; }

// Results are moved to the caller; references stay references.
template <class R>
inline constexpr bool can_be_returned =
    std::is_void_v<R> || std::is_reference_v<R> || std::is_move_constructible_v<R>;

// Why a function can't be called without arguments, for its result.
template <class F>
consteval refusal why_not_called() {
  if constexpr (!std::is_invocable_v<F>)
    return refusal::not_callable;
  else
    return can_be_returned<std::invoke_result_t<F>> ? refusal::none : refusal::result_not_movable;
}
// Why std::decay_t<F>(f) can't be kept and called later.
template <class F>
consteval refusal why_not_kept() {
  if constexpr (std::is_invocable_v<std::decay_t<F>> &&
                !std::is_constructible_v<std::decay_t<F>, F>)
    return refusal::not_copyable;
  else
    return why_not_called<std::decay_t<F>>();
}
template <class F>
inline constexpr bool can_be_called = why_not_called<F>() == refusal::none;
template <class F>
inline constexpr bool can_be_kept = why_not_kept<F>() == refusal::none;

// The same as the concept stop_condition, but less of it, for headers without that.
template <class S>
concept asks_for_stop = requires(const S& s) { s.stop_requested(); };

// Whether the function object cannot be called only because it is const.
template <class F, class... Arguments>
inline constexpr bool is_spoiled_by_const =
    std::is_const_v<std::remove_reference_t<F>> &&
    std::is_invocable_v<std::remove_const_t<std::remove_reference_t<F>>&, Arguments...>;

// Each says `none` of what suits.
template <class Predicate, class Element>
consteval refusal why_no_predicate() {
  if constexpr (!std::is_invocable_v<Predicate&, Element>)
    return is_spoiled_by_const<Predicate, Element> ? refusal::body_is_const : refusal::predicate;
  else if constexpr (!std::is_invocable_r_v<bool, Predicate&, Element>)
    return refusal::predicate_result;
  else
    return refusal::none;
}
template <class Less, class Left, class Right>
consteval refusal why_no_comparator() {
  if constexpr (!std::is_invocable_v<Less&, Left, Right>)
    return refusal::comparator;
  else if constexpr (!std::is_invocable_r_v<bool, Less&, Left, Right>)
    return refusal::comparator_result;
  else
    return refusal::none;
}
// Whether static_cast<T>(f(arguments...)) compiles.
template <class T, class F, class... Arguments>
concept gives = requires(F& f, Arguments&&... arguments) {
  static_cast<T>(f(static_cast<Arguments&&>(arguments)...));
};

// Of a fold's or scan's operation on values of T and elements.
template <class Op, class T, class Element>
consteval refusal why_no_operation() {
  if constexpr (!std::is_invocable_v<Op&, T, T> || !std::is_invocable_v<Op&, T, Element>)
    return refusal::operation;
  else
    return gives<T, Op, T, T> && gives<T, Op, T, Element> ? refusal::none
                                                          : refusal::operation_result;
}

// Of combinable and worker_local, which keep it in a std::function.
template <class F, class T>
inline constexpr bool is_factory = std::is_invocable_r_v<T, F&> && std::is_copy_constructible_v<F>;

// Calls with one function and nothing else.
template <class... Arguments>
inline constexpr bool is_run = false;
template <class F>
inline constexpr bool is_run<F> = can_be_called<F>;

template <class... Arguments>
constexpr refused refuse_run() {
  if constexpr (sizeof...(Arguments) == 1)
    say<(why_not_called<Arguments>(), ...)>();
  else
    say<refusal::arguments, Arguments...>();
  return {};
}

// The same for a function that is kept, and whose result is dropped.
template <class F>
inline constexpr bool can_be_spawned =
    std::is_constructible_v<std::decay_t<F>, F> && std::is_invocable_v<std::decay_t<F>>;
template <class... Arguments>
inline constexpr bool is_spawn = false;
template <class F>
inline constexpr bool is_spawn<F> = can_be_spawned<F>;

template <class... Arguments>
constexpr void refuse_spawn() {
  if constexpr (sizeof...(Arguments) == 1)
    say<(why_not_kept<Arguments>(), ...)>();
  else
    say<refusal::arguments, Arguments...>();
}

}  // namespace detail

}  // namespace heist::inline v0
