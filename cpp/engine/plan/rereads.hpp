// Operands that many steps of a program read without a change between, as the weights of an unrolled
// recurrence in training.
#ifndef popir_engine_plan_rereads_hpp
#define popir_engine_plan_rereads_hpp

#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "program/flat_program.hpp"

namespace popir {

class Rereads {
 public:
  /// So many steps read an operand before the class knows of it.
  static constexpr std::size_t kLeast = 16;

  explicit Rereads(const FlatProgram& program);

  /// The number of the value that an operand of a step has, if at least kLeast steps run the same
  /// kernel on it. Steps with the same number run one after the other, each of them once; nothing
  /// writes the operand between the first and the last.
  std::optional<std::size_t> valueOf(std::size_t step, std::size_t operand) const;

 private:
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> values_;  // by step and operand
};

}  // namespace popir

#endif
