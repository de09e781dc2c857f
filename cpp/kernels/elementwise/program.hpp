// Element-wise programs: the form of an expression before layouts are known.
#ifndef popir_kernels_elementwise_program_hpp
#define popir_kernels_elementwise_program_hpp

#include <poplar/Type.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/vector/ops.hpp"

namespace popir {

/// A list of values in single static assignment form. Equal values are shared (common subexpression
/// elimination). Operators on constants are folded, using the same loops that would compute them at
/// run time, so folding never changes a result.
class MapProgram {
 public:
  enum class Kind : std::uint8_t { Input, Constant, Apply };
  friend constexpr Kind lastOf(Kind) { return Kind::Apply; }
  struct Value {
    Kind kind;
    /// Type of the value.
    Lane lane;
    /// Apply only: the operator, the type of its operands, and the operands' values.
    VecOp op = VecOp::Copy;
    Lane from = Lane::F32;
    int count = 0;
    std::array<int, kMaxSources> args{};
    /// Input: its number. Constant: its bits.
    std::uint64_t data = 0;

    auto state() const { return std::tie(kind, lane, op, from, count, args, data); }
    bool operator==(const Value& o) const {
      // The arguments differ most; std::array's operator calls a function for their few bytes.
      for (std::size_t i = 0; i < args.size(); ++i)
        if (args[i] != o.args[i]) return false;
      return kind == o.kind && lane == o.lane && op == o.op && from == o.from && count == o.count &&
             data == o.data;
    }
  };

  MapProgram() = default;
  MapProgram(std::vector<Value> values, std::vector<int> outputs, unsigned inputCount)
      : values_(std::move(values)), outputs_(std::move(outputs)), inputCount_(inputCount) {}

  int input(unsigned number, Lane lane);
  int constant(Lane lane, std::uint64_t bits);
  /// Adds an operator. Its operands have type `from`, except Select's condition, which is Bool.
  int apply(VecOp op, Lane from, std::initializer_list<int> args);
  /// Converts a value to another type, in several steps if needed. Returns `v` if it has this type.
  int convert(int v, Lane to);
  /// Makes a value an output. It is stored in its own type.
  void output(int v) { outputs_.push_back(v); }
  /// Adds a value of another program. Its arguments must already use this program's numbering.
  int add(const Value& value);

  const std::vector<Value>& values() const { return values_; }
  const std::vector<int>& outputs() const { return outputs_; }
  const Value& operator[](int v) const { return values_[static_cast<std::size_t>(v)]; }
  unsigned inputCount() const { return inputCount_; }
  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(values_, outputs_, inputCount_); }

  /// The same program with groups of values replaced by the fused operators at the end of VecOp
  /// (from SelectLt on), without dead values. For execution only: the cost model uses the
  /// unfused program.
  MapProgram fused() const;
  /// Removes values that no output needs.
  MapProgram trimmed() const;

 private:
  std::vector<Value> values_;
  std::vector<int> outputs_;
  unsigned inputCount_ = 0;
};

/// True if the value converts a number to a 16-bit float.
bool isRounding(const MapProgram::Value& value);

/// The result type of `op` for operands of type `from`.
Lane resultLane(VecOp op, Lane from);

/// The type in which values of `type` are stored.
/// \throws poputil::poplibs_error if there is none
Lane storageLane(const poplar::Type& type);
/// The type in which values are computed: F32 for F16 and BF16, else the same type.
Lane computeLane(Lane storage);

}  // namespace popir

#endif
