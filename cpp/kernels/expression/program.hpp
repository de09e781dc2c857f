// An element-wise program: what an expression becomes before layouts are known.
#ifndef popir_kernels_expression_program_hpp
#define popir_kernels_expression_program_hpp

#include <array>
#include <cstdint>
#include <initializer_list>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/vector/ops.hpp"

namespace popir {

/// A list of values in single-assignment form, each computed from values before it. Equal values
/// are made once; operators over constants are computed at once, by the loops that would compute
/// them later, so that folding never changes a result.
class MapProgram {
 public:
  enum class Kind : std::uint8_t { Input, Constant, Apply };
  struct Value {
    Kind kind;
    /// Of the value itself.
    Lane lane;
    /// Apply: the operator and the type of its operands.
    VecOp op = VecOp::Copy;
    Lane from = Lane::F32;
    int count = 0;
    std::array<int, kMaxSources> args{};
    /// Input: its number. Constant: its bits.
    std::uint64_t data = 0;

    auto state() const { return std::tie(kind, lane, op, from, count, args, data); }
    bool operator==(const Value& o) const {
      return kind == o.kind && lane == o.lane && op == o.op && from == o.from && count == o.count &&
             args == o.args && data == o.data;
    }
  };

  int input(unsigned number, Lane lane);
  int constant(Lane lane, std::uint64_t bits);
  /// Operands of type `from`, except Select's condition, which is Bool.
  int apply(VecOp op, Lane from, std::initializer_list<int> args);
  /// The value as another type, in as many steps as it takes; `v` itself if it is of that type.
  int convert(int v, Lane to);
  /// Adds an output, to be stored as it is.
  void output(int v) { outputs_.push_back(v); }
  /// A value from elsewhere, its arguments already numbered as here.
  int add(const Value& value);

  const std::vector<Value>& values() const { return values_; }
  const std::vector<int>& outputs() const { return outputs_; }
  const Value& operator[](int v) const { return values_[static_cast<std::size_t>(v)]; }
  unsigned inputCount() const { return inputCount_; }
  /// A program of the values, outputs and number of inputs of another one.
  static MapProgram of(std::vector<Value> values, std::vector<int> outputs, unsigned inputCount) {
    MapProgram p;
    p.values_ = std::move(values);
    p.outputs_ = std::move(outputs);
    p.inputCount_ = inputCount;
    return p;
  }

  /// The same program with the patterns of VecOp's last entries put in place of what they stand
  /// for, trimmed. For running, not for costing.
  MapProgram fused() const;
  /// Without values that no output needs.
  MapProgram trimmed() const;

 private:
  std::vector<Value> values_;
  std::vector<int> outputs_;
  unsigned inputCount_ = 0;
};

/// Whether a value is a number that becomes a 16-bit float.
bool isRounding(const MapProgram::Value& value);

/// The type of what `op` gives for operands of type `from`.
Lane resultLane(VecOp op, Lane from);

}  // namespace popir

#endif
