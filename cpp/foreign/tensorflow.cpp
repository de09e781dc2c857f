#include "foreign/tensorflow.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "engine/arena.hpp"
#include "kernels/parallel.hpp"
#include "poplar/graph_impl.hpp"
#include "poplar/view.hpp"
#include "program/host_call.hpp"
#include "support/division.hpp"

namespace popir::foreign::tensorflow {
namespace {

using poplar::Graph;
using poplar::Tensor;
using poplar::program::Program;
using Tensors = std::vector<Tensor>;
using Text = const std::string&;
using Indices = std::vector<std::int64_t>;
using Aliasing = std::map<std::int64_t, std::int64_t>;

// The functions of a library. Those of level 1 have no `attributes`.
namespace level1 {
using Metadata = void(Indices& allocating, std::uint32_t& inPlace, bool& elementwise,
                      bool& stateless, std::uint32_t inputs);
using Build = Program(Graph&, const Tensors& inputs, Tensors& outputs, Text debugPrefix);
using BuildGrad = Program(Graph&, std::int64_t index, const Tensors& gradients,
                          const Tensors& inputs, const Tensors& outputs, Tensors& results,
                          Text debugPrefix);
using Allocator = Tensor(Graph&, std::int64_t operand, const std::vector<std::size_t>& shape,
                         poplar::Type, Text debugPrefix);
using Callback = void(const std::vector<void*>& data, const std::vector<std::uint32_t>& counts,
                      std::vector<void*>& outputs, Text name);
}  // namespace level1
namespace level2 {
using Build = Program(Graph&, const Tensors& inputs, Tensors& outputs, Text attributes,
                      Text debugPrefix);
using BuildGrad = Program(Graph&, std::int64_t index, const Tensors& gradients,
                          const Tensors& inputs, const Tensors& outputs, Tensors& results,
                          Text attributes, Text debugPrefix);
using Allocator = Tensor(Graph&, std::int64_t operand, const std::vector<std::size_t>& shape,
                         poplar::Type, Text attributes, Text debugPrefix);
using Callback = void(const std::vector<void*>& data, const std::vector<std::uint32_t>& counts,
                      std::vector<void*>& outputs, Text attributes, Text name);
}  // namespace level2
namespace level4 {
using Metadata = void(Indices& allocating, Aliasing& aliasing, bool& elementwise, bool& stateless,
                      bool& hashable, std::uint32_t inputs);
}
namespace level5 {
using Metadata = void(Indices& allocating, Indices& replicaIdentical, Aliasing& aliasing,
                      bool& elementwise, bool& stateless, bool& hashable, std::uint32_t inputs);
}

const char* const known = "1, 2, 4 and 5";

/// An argument of a metadata function, in memory that is as good for the arguments of every level:
/// a function that was written for another one takes it for another type. All of them are made of
/// zeros when they are empty, but for an empty tree's first and last node, which is the tree; those
/// lie behind what is used of the others. So that function does no harm, and its writing shows.
template <class T>
class Slot {
 public:
  Slot() {
    Word* words = reinterpret_cast<Word*>(bytes_);
    words[3] = words[4] = reinterpret_cast<Word>(bytes_ + sizeof(void*));
    std::memcpy(empty_, bytes_, sizeof(bytes_));
  }
  /// What does not look like a T any more is left alone.
  ~Slot() {
    if (isWhole()) get().~T();
  }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  T& get() { return *std::launder(reinterpret_cast<T*>(bytes_)); }
  bool isWhole() const {
    return std::memcmp(bytes_ + sizeof(T), empty_ + sizeof(T), sizeof(bytes_) - sizeof(T)) == 0 &&
           looksLike();
  }

 private:
  using Word = std::uintptr_t;
  bool looksLike() const;
  Word word(std::size_t at) const {
    Word found;
    std::memcpy(&found, bytes_ + at * sizeof(Word), sizeof(Word));
    return found;
  }

  alignas(16) unsigned char bytes_[128] = {};
  unsigned char empty_[128];
};

constexpr std::uintptr_t mostIndices = 1 << 20;

template <>
bool Slot<Indices>::looksLike() const {
  const Word begin = word(0), end = word(1), limit = word(2);
  if (begin == 0) return end == 0 && limit == 0;
  return begin % 8 == 0 && begin <= end && end <= limit && (end - begin) % 8 == 0 &&
         limit - begin <= mostIndices * 8;
}

template <>
bool Slot<Aliasing>::looksLike() const {
  // A tree of libstdc++: the comparison, of which nothing is read, then colour, root, first and last
  // node, and their number. Libraries for level 5 whose functions have the arguments of level 3
  // write a condition to the first byte.
  const Word own = reinterpret_cast<Word>(bytes_) + sizeof(void*);
  const Word root = word(2), first = word(3), last = word(4), count = word(5);
  if (root == 0) return first == own && last == own && count == 0;
  return root % 8 == 0 && first % 8 == 0 && last % 8 == 0 && count > 0 && count <= mostIndices;
}

template <>
bool Slot<bool>::looksLike() const {
  return bytes_[0] <= 1;
}

template <>
bool Slot<std::uint32_t>::looksLike() const {
  return true;
}
static_assert(sizeof(Indices) == 24 && sizeof(Aliasing) == 48, "the types of libstdc++");

std::string listed(const std::vector<std::size_t>& shape) {
  std::string text = "[";
  for (const auto size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

/// Copies what is large by the threads of the engine.
void copyByThreads(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  const auto pieces = static_cast<std::int64_t>((bytes + kPiece - 1) / kPiece);
  parallelFor(pieces, pool::threads(), static_cast<std::int64_t>(bytes / 4), [&](std::int64_t i) {
    const std::size_t at = static_cast<std::size_t>(i) * kPiece;
    std::memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at,
                std::min(kPiece, bytes - at));
  });
}

/// Memory for copies of a callback's inputs. Engines in several threads each take one. It begins
/// with a page, as the engine's does: on some processors memcpy takes three times as long where the
/// destination lies 16 bytes behind the source within a page, as what `new` gives does.
class Copies {
 public:
  using Buffers = std::vector<std::unique_ptr<Arena>>;
  explicit Copies(std::vector<std::size_t> bytes) : bytes_(std::move(bytes)) {}

  Buffers take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto found = std::move(free_.back());
        free_.pop_back();
        return found;
      }
    }
    Buffers made;
    for (const auto size : bytes_) made.push_back(std::make_unique<Arena>(size));
    return made;
  }
  void giveBack(Buffers buffers) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(buffers));
  }
  const std::vector<std::size_t>& bytes() const { return bytes_; }

 private:
  std::vector<std::size_t> bytes_;
  std::mutex mutex_;
  std::vector<Buffers> free_;
};

/// A callback of a library, and what it is called with.
struct Callee {
  SharedLibrary library;  // which stays loaded
  std::string what;
  void* symbol;
  bool hasAttributes;
  bool copies;
  std::string attributes, name;
  std::vector<std::uint32_t> counts;
  std::size_t outputs;
  mutable Copies buffers;

  void call(const void* const* inputs, void* const* results) const {
    Copies::Buffers own;
    std::vector<void*> data(counts.size());
    if (copies) own = buffers.take();
    for (std::size_t i = 0; i < data.size(); ++i) {
      data[i] = copies ? own[i]->data() : const_cast<void*>(inputs[i]);
      if (copies) copyByThreads(data[i], inputs[i], buffers.bytes()[i]);
    }
    std::vector<void*> given(results, results + outputs);
    const std::vector<void*> before = given;
    if (hasAttributes)
      reinterpret_cast<level2::Callback*>(symbol)(data, counts, given, attributes, name);
    else
      reinterpret_cast<level1::Callback*>(symbol)(data, counts, given, name);
    if (copies) buffers.giveBack(std::move(own));
    if (given != before)
      throw UserOpError(what +
                        " has replaced the pointers to its outputs; it is to write to what they "
                        "point to");
  }
};

}  // namespace

int requireLevel(const std::string& path, const std::string& name) {
  const auto declared = integerOf(path, "custom_op_api_level");
  const std::int64_t level = declared.value_or(0);
  if (level != 1 && level != 2 && level != 4 && level != 5)
    throw LibraryError("The library '" + path + "'" +
                       (name.empty() ? "" : ", asked for the operator '" + name + "',") +
                       " is of API level " + std::to_string(level) +
                       (!declared ? ", since it has no symbol 'custom_op_api_level'" : "") +
                       "; expected is one of " + known +
                       ". It declares its level by: extern \"C\" { int32_t custom_op_api_level = "
                       "5; }");
  return static_cast<int>(level);
}

UserOp::UserOp(const std::string& path, const std::string& name)
    : level_(requireLevel(path, name)), library_(path), name_(name) {
  symbol_ = library_.at(name);
}

std::string UserOp::function(const std::string& suffix) const {
  return "The function '" + name_ + suffix + "' of '" + path() + "'";
}

template <class Code>
void UserOp::call(const std::string& suffix, const Code& code) const {
  takeDivisions();
  if (!completes(code)) throw UserOpError(function(suffix) + ": " + kDivision);
}

bool UserOp::hasAllocator() const { return library_.find(name_ + "_allocator") != nullptr; }

Metadata UserOp::metadata(std::uint32_t inputs, std::uint32_t outputs) const {
  Metadata found;
  found.isHashable = level_ < 4;
  void* symbol = library_.findFunction(name_ + "_metadata");
  if (symbol == nullptr) return found;
  Slot<Indices> allocating, replicaIdentical;
  Slot<Aliasing> aliasing;
  Slot<std::uint32_t> inPlace;
  Slot<bool> elementwise, stateless, hashable;
  const std::string who = function("_metadata");
  call("_metadata", [&] {
    if (level_ < 4)
      reinterpret_cast<level1::Metadata*>(symbol)(allocating.get(), inPlace.get(),
                                                  elementwise.get(), stateless.get(), inputs);
    else if (level_ == 4)
      reinterpret_cast<level4::Metadata*>(symbol)(allocating.get(), aliasing.get(),
                                                  elementwise.get(), stateless.get(),
                                                  hashable.get(), inputs);
    else
      reinterpret_cast<level5::Metadata*>(symbol)(allocating.get(), replicaIdentical.get(),
                                                  aliasing.get(), elementwise.get(),
                                                  stateless.get(), hashable.get(), inputs);
  });
  if (!allocating.isWhole() || !replicaIdentical.isWhole() || !aliasing.isWhole() ||
      !elementwise.isWhole() || !stateless.isWhole() || !hashable.isWhole())
    throw UserOpError(who +
                      " has written what its arguments cannot hold: it was probably written "
                      "for another API level than " +
                      std::to_string(level_) + ", which the library declares");
  const auto check = [&](std::int64_t index, std::uint64_t count, const char* what) {
    if (index < 0 || static_cast<std::uint64_t>(index) >= count)
      throw UserOpError(who + " names the " + what + " " + std::to_string(index) +
                        "; the operator has " + std::to_string(count) + " of them");
  };
  if (inPlace.get() > inputs)
    throw UserOpError(who + " says that " + std::to_string(inPlace.get()) +
                      " inputs are in place; the operator has " + std::to_string(inputs));
  for (std::uint32_t i = 0; i < inPlace.get(); ++i) found.aliasing[i] = i;
  for (const auto index : allocating.get()) check(index, inputs, "input");
  for (const auto index : replicaIdentical.get()) check(index, outputs, "output");
  for (const auto& [input, output] : aliasing.get()) {
    // Metadata that are the same for any number of inputs, as `{{}}`, say nothing of none.
    if (inputs == 0) break;
    check(input, inputs, "input");
    check(output, outputs, "output");
    found.aliasing[input] = output;
  }
  found.allocating = allocating.get();
  found.replicaIdentical = replicaIdentical.get();
  found.isElementwise = elementwise.get();
  found.isStateless = stateless.get();
  if (level_ >= 4) found.isHashable = hashable.get();
  return found;
}

Built UserOp::built(Graph& graph, const Program& program, const Tensors& made,
                    std::size_t outputs) const {
  Built result{program, {}};
  for (const auto& t : made) {
    if (result.outputs.size() == outputs) break;
    const bool isThere = t.valid();
    if (isThere && t.view().graph() != graph.impl().get())
      throw UserOpError(function() + " gives as output " + std::to_string(result.outputs.size()) +
                        " a tensor of another graph");
    result.outputs.push_back(isThere ? std::optional<Tensor>(t) : std::nullopt);
  }
  return result;
}

Built UserOp::build(Graph& graph, const Tensors& inputs, std::size_t outputs, Text attributes,
                    Text debugPrefix) const {
  Tensors given = inputs, made;  // A function may take its inputs as its own, and change them.
  std::optional<Program> program;
  call("", [&] {
    program = level_ == 1
                  ? reinterpret_cast<level1::Build*>(symbol_)(graph, given, made, debugPrefix)
                  : reinterpret_cast<level2::Build*>(symbol_)(graph, given, made, attributes,
                                                              debugPrefix);
  });
  return built(graph, *program, made, outputs);
}

Built UserOp::buildGradient(Graph& graph, const GradientArguments& arguments, std::size_t outputs,
                            Text attributes, Text debugPrefix) const {
  GradientArguments a = arguments;
  Tensors made;
  std::optional<Program> program;
  call("", [&] {
    program = level_ == 1 ? reinterpret_cast<level1::BuildGrad*>(symbol_)(
                                graph, a.index, a.gradients, a.inputs, a.outputs, made, debugPrefix)
                          : reinterpret_cast<level2::BuildGrad*>(symbol_)(
                                graph, a.index, a.gradients, a.inputs, a.outputs, made, attributes,
                                debugPrefix);
  });
  return built(graph, *program, made, outputs);
}

Tensor UserOp::allocate(Graph& graph, std::int64_t operand, const std::vector<std::size_t>& shape,
                        poplar::Type type, Text attributes, Text debugPrefix) const {
  void* symbol = library_.at(name_ + "_allocator");
  Tensor made;
  call("_allocator", [&] {
    made = level_ == 1 ? reinterpret_cast<level1::Allocator*>(symbol)(graph, operand, shape, type,
                                                                      debugPrefix)
                       : reinterpret_cast<level2::Allocator*>(symbol)(graph, operand, shape, type,
                                                                      attributes, debugPrefix);
  });
  const std::string who =
      function("_allocator") + " has made, for input " + std::to_string(operand) + ", ";
  if (!made.valid()) throw UserOpError(who + "no tensor at all");
  if (made.view().graph() != graph.impl().get())
    throw UserOpError(who + "a tensor of another graph");
  if (!made.isParallelWriteable())
    throw UserOpError(who +
                      "a tensor that holds constants or an element twice, so that nothing can be "
                      "written to it; each element must have a place of its own");
  // TensorFlow has no unsigned integers: libraries make those for what they get as INT.
  const auto isWord = [](poplar::Type t) { return t == poplar::INT || t == poplar::UNSIGNED_INT; };
  if (made.shape() == shape && made.elementType() != type && isWord(made.elementType()) &&
      isWord(type))
    return made.reinterpret(type);
  if (made.shape() != shape || made.elementType() != type)
    throw UserOpError(who + "a tensor of " + made.elementType().toString() + " " +
                      listed(made.shape()) + "; asked for was " + type.toString() + " " +
                      listed(shape));
  return made;
}

void UserOp::addCallback(Graph& graph, poplar::program::Sequence& prog, const Tensors& inputs,
                         const Tensors& outputs, const CallOptions& options) const {
  std::vector<std::uint32_t> counts;
  std::vector<std::size_t> bytes;
  for (const auto& t : inputs) {
    if (t.numElements() > UINT32_MAX)
      throw UserOpError(function() + " cannot get an input of " + std::to_string(t.numElements()) +
                        " elements: the interface counts them in 32 bits");
    counts.push_back(static_cast<std::uint32_t>(t.numElements()));
    bytes.push_back(t.numElements() * t.elementType().sizeInBytes());
  }
  const bool hasAttributes = level_ > 1 && !options.asDocumented;
  // With a limit the call works on copies already. From level 5 on, inputs are pointers to const.
  const bool copies = level_ < 5 && options.limit.count() == 0;
  auto callee = std::shared_ptr<const Callee>(
      new Callee{library_, function(), symbol_, hasAttributes, copies, options.attributes,
                 options.name, counts, outputs.size(), Copies(bytes)});
  HostCallOptions how;
  how.limit = options.limit;
  addHostCall(
      graph, prog, options.who,
      [callee](const void* const* in, void* const* out) { callee->call(in, out); }, inputs, outputs,
      options.name, how);
}

}  // namespace popir::foreign::tensorflow
