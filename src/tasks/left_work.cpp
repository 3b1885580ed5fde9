#include "tasks/left_work.hpp"

#include "heist/scope.hpp"

namespace heist::inline v0::detail {

void scope_floor::raise() noexcept {
  before_ = left_->raise_floor(static_cast<position>(hot_path::depth()));
}
void scope_floor::lower() noexcept { static_cast<void>(left_->raise_floor(before_)); }

}  // namespace heist::inline v0::detail
