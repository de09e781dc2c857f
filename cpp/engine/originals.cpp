// EngineImpl, the part that gives the memory of weights back once they are packed, and makes them of the
// packed form again.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "engine/engine.hpp"
#include "engine/whole_variable.hpp"

namespace popir {
namespace {

using Word = std::uint32_t;

}  // namespace

std::optional<unsigned> shownWhole(const GraphImpl& graph, const poplar::Tensor& t) {
  const auto affine = t.view().affine();
  if (!affine || affine->offset != 0) return std::nullopt;
  const auto& variable = graph.variables[affine->variable];
  if (t.numElements() * t.elementType().sizeInBytes() != variable.bytes()) return std::nullopt;
  // No two elements are at one place: the steps of the dimensions, from the smallest, are what the
  // smaller ones hold.
  const auto& shape = t.view().shape();
  std::vector<std::pair<std::int64_t, std::int64_t>> loops;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != 1) loops.emplace_back(affine->strides[d], shape[d]);
  std::sort(loops.begin(), loops.end());
  std::int64_t step = 1;
  for (const auto& [stride, count] : loops) {
    if (stride != step) return std::nullopt;
    step *= count;
  }
  return affine->variable;
}

bool EngineImpl::isOriginal(const poplar::Tensor& operand, const Layout& layout) const {
  if (!policy_.has(Choice::Unpacking) || layout.channelBlock != Layout::kPlain) return false;
  const auto v = shownWhole(*graph_, operand);
  return v && lendable_[*v] && layout.type.sizeInBytes() == sizeof(Word);
}

EngineImpl::Original& EngineImpl::originalOf(unsigned variable) {
  for (Original& each : originals_)
    if (each.variable == variable) return each;
  originals_.emplace_back();
  originals_.back().variable = variable;
  return originals_.back();
}

void EngineImpl::chooseOriginals() {
  std::vector<std::size_t> reads(slots_.size());
  for (const Ref& ref : refs_) ++reads[ref.slot];
  std::size_t count = 0, bytes = 0;
  for (Original& each : originals_) {
    each.mayLeave = reads[slotOfVariable_.at(each.variable)] == each.reads;
    if (!each.mayLeave) continue;
    ++count;
    bytes += graph_->variables[each.variable].bytes();
  }
  if (count == 0) return;
  notes_.push_back("unpacking: " + std::to_string(count) + " weights of " + std::to_string(bytes) +
                   " bytes stay in packed form alone");
}

void EngineImpl::giveBack(Original& original) {
  const auto v = original.variable;
  const auto& buffer = assignment_.buffers[v];
  const auto released = std::move(original.released);
  setSlot(slotOfVariable_.at(v), arena_->data() + buffer.offset);
  arena_->release(buffer.offset, graph_->variables[v].bytes());
  original.released = nullptr;
  original.isAway = true;
  if (released) released();
}

std::size_t EngineImpl::givenBackBytes() const {
  std::size_t bytes = 0;
  for (const Original& each : originals_)
    if (each.isAway) bytes += graph_->variables[each.variable].bytes();
  return bytes;
}

void EngineImpl::unpack(const Original& original, char* to) const {
  // The form of numbers that count elements from 1 on says where each element went.
  const std::size_t count = graph_->variables[original.variable].bytes() / sizeof(Word);
  const Arena numbers(count * sizeof(Word)), places(original.bytes);
  auto* const number = reinterpret_cast<Word*>(numbers.data());
  for (std::size_t i = 0; i < count; ++i) number[i] = static_cast<Word>(i + 1);
  void* operands[] = {numbers.data(), places.data()};
  original.pack->run(operands, nullptr);
  const auto* const place = reinterpret_cast<const Word*>(places.data());
  const char* const form = kept_->data() + original.form.offset;
  std::size_t found = 0;
  for (std::size_t i = 0; i < original.bytes / sizeof(Word); ++i) {
    if (place[i] == 0) continue;
    Word& mark = number[place[i] - 1];
    found += mark != 0;
    mark = 0;
    std::memcpy(to + (place[i] - 1) * sizeof(Word), form + i * sizeof(Word), sizeof(Word));
  }
  if (found != count) throw std::logic_error("Engine: a packed form lacks elements of its weights");
}

}  // namespace popir
