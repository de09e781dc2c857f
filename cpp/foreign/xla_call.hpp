// One custom call of XLA, made ready to run: any of its calling conventions, on dense tensors.
#ifndef popir_foreign_xla_call_hpp
#define popir_foreign_xla_call_hpp

#include <string>
#include <utility>
#include <vector>

#include "foreign/xla_targets.hpp"
#include "program/host_call.hpp"

namespace popir::foreign::xla {

#pragma GCC visibility push(default)

/// The shape of an operand or result: an array, a token, or a tuple of shapes.
struct Shape {
  static constexpr int kToken = 17;  ///< `type` of a token

  /// Of an array or token: its element type, a number of xla::PrimitiveType.
  int type = 0;
  std::vector<std::int64_t> dims;
  bool tuple = false;
  std::vector<Shape> elements;

  /// The number of arrays and tokens in it.
  std::size_t leaves() const;
};

/// An attribute of a call with the typed interface.
struct Attribute {
  ffi::AttributeKind kind = ffi::kString;
  int type = 0;       ///< of a scalar or array: the type of its elements
  std::string bytes;  ///< the elements, or the text
  std::size_t count = 0;
  std::vector<std::pair<std::string, Attribute>> items;  ///< of a dictionary
};

struct Call {
  Target target;
  /// 1: original. 2: with a status. 3: with a status, and the opaque bytes on every platform.
  /// 4: typed.
  int apiVersion = 1;
  std::string opaque;
  std::vector<Shape> operands;
  Shape result;
  /// By number of a leaf of the result: the leaf of the operands that it shares memory with.
  std::vector<std::pair<std::size_t, std::size_t>> aliases;
  /// For version 4.
  std::vector<std::pair<std::string, Attribute>> attributes;
};

/// The function that calls the target. Its inputs and outputs are the leaves of operands and
/// result, tuples walked in pre-order; a token is one too, and the target gets null for it.
///
/// A typed target is asked for its version, and its stage INSTANTIATE runs, before this returns;
/// PREPARE, INITIALIZE and EXECUTE run in each call. The call runs what it has queued on the stream
/// before it returns.
/// \throws std::invalid_argument if the target does not fit the version, or refuses. What the
/// target reports when it runs is thrown by the function, as std::runtime_error "CODE: message".
HostCall hostCall(const Call& call);

/// "INVALID_ARGUMENT" for ffi::kInvalidArgument.
const char* nameOf(int code);

#pragma GCC visibility pop

}  // namespace popir::foreign::xla

#endif
