#include "kernels/elementwise/runner.hpp"

#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "kernels/movement/tiles.hpp"
#include "kernels/parallel.hpp"

namespace popir {
namespace {

constexpr std::size_t kMaxAxes = 24;
constexpr std::size_t kLine = 64;

/// Repeats the first `length` elements until there are `times` copies, each copy as long as all
/// before it.
/// \returns the end of the last copy
template <class T>
T* repeated(T* first, std::int64_t length, std::int64_t times) {
  const std::int64_t all = length * times;
  for (std::int64_t done = length; done < all; done += std::min(done, all - done))
    std::memcpy(first + done, first,
                static_cast<std::size_t>(std::min(done, all - done)) * sizeof(T));
  return first + all;
}

/// Copies a box between strided memory and a dense row-major buffer.
template <class T, bool gather>
void moveBox(char* strided, T*& buffer, const std::int64_t* sizes, const std::int64_t* strides,
             std::size_t axes) {
  const std::int64_t n = sizes[0], step = strides[0];
  if (axes == 2 && step == static_cast<std::int64_t>(sizeof(T)) && strides[1] > step) {
    char* dense = reinterpret_cast<char*>(buffer);
    const std::int64_t row = sizes[1] * step;
    if constexpr (gather)
      transposeMatrix(sizeof(T))(strided, strides[1], dense, row, n, sizes[1]);
    else
      transposeMatrix(sizeof(T))(dense, row, strided, strides[1], sizes[1], n);
    buffer += n * sizes[1];
    return;
  }
  if (axes > 1) {
    if (gather && step == 0) {
      T* const first = buffer;
      moveBox<T, gather>(strided, buffer, sizes + 1, strides + 1, axes - 1);
      buffer = repeated(first, buffer - first, n);
      return;
    }
    for (std::int64_t i = 0; i < n; ++i)
      moveBox<T, gather>(strided + i * step, buffer, sizes + 1, strides + 1, axes - 1);
    return;
  }
  if constexpr (gather) {
    if (step == static_cast<std::int64_t>(sizeof(T))) {
      std::memcpy(buffer, strided, static_cast<std::size_t>(n) * sizeof(T));
    } else if (step == 0) {
      std::fill(buffer, buffer + n, *reinterpret_cast<const T*>(strided));
    } else if (step == 2 * static_cast<std::int64_t>(sizeof(T))) {
      // A constant stride, for which the compiler vectorizes the loop.
      const T* const from = reinterpret_cast<const T*>(strided);
      for (std::int64_t i = 0; i < n; ++i) buffer[i] = from[2 * i];
    } else {
      for (std::int64_t i = 0; i < n; ++i)
        buffer[i] = *reinterpret_cast<const T*>(strided + i * step);
    }
  } else if (step == static_cast<std::int64_t>(sizeof(T))) {
    std::memcpy(strided, buffer, static_cast<std::size_t>(n) * sizeof(T));
  } else {
    for (std::int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(strided + i * step) = buffer[i];
  }
  buffer += n;
}

template <bool gather>
void moveBox(char* strided, void* buffer, const std::int64_t* sizes,
             const MapPlan::Operand& operand) {
  const auto move = [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    moveBox<T, gather>(strided, p, sizes, operand.strides.data(), operand.strides.size());
  };
  switch (operand.elementBytes) {
    case 1: return move(static_cast<std::uint8_t*>(buffer));
    case 2: return move(static_cast<std::uint16_t*>(buffer));
    case 4: return move(static_cast<std::uint32_t*>(buffer));
    default: return move(static_cast<std::uint64_t*>(buffer));
  }
}

class MapRunner : public Runner {
 public:
  explicit MapRunner(MapPlan plan) : plan_(std::move(plan)) {
    if (plan_.axes.size() > kMaxAxes)
      throw std::invalid_argument("map: more than " + std::to_string(kMaxAxes) +
                                  " dimensions that cannot be taken together");
    const std::size_t pointers = (plan_.slots.size() + 2 * plan_.operands.size()) * sizeof(void*);
    headBytes_ = (pointers + kLine - 1) / kLine * kLine;
    threadBytes_ = headBytes_ + plan_.bufferBytes;
    for (std::size_t i = 0; i < plan_.slots.size(); ++i)
      if (plan_.slots[i].kind == MapPlan::Slot::Kind::Operand)
        direct_.push_back({i, plan_.slots[i].at});
    for (std::size_t o = 0; o < plan_.operands.size(); ++o)
      if (plan_.operands[o].slot >= 0 && plan_.operands[o].reach == MapPlan::Reach::Strided)
        gathered_.push_back(o);
  }

  std::size_t scratchBytes() const override { return plan_.threads == 1 ? threadBytes_ : 0; }

  const char* note() const override { return plan_.hasTable ? "table" : ""; }

  void run(void* const* operands, void* scratch) const override {
    if (plan_.elements == 0) return;
    if (plan_.threads == 1) return walk(operands, static_cast<char*>(scratch), 0, plan_.boxes);
    // A walk computes what all its boxes read, so walks are not too short.
    constexpr std::int64_t kWalksOfThread = 8;
    const std::int64_t walks = kWalksOfThread * plan_.threads;
    parallelParts(plan_.boxes, (plan_.boxes + walks - 1) / walks, plan_.threads,
                  [&](std::int64_t first, std::int64_t last, unsigned) {
                    const pool::OwnMemory own(threadBytes_);
                    walk(operands, static_cast<char*>(own.data()), first, last);
                  });
  }

 private:
  /// State of one thread, in its own memory.
  struct State {
    void** slots;
    /// By operand: the address and shape from which its buffer was last filled.
    std::uintptr_t* filledFrom;
    std::uint64_t* filledShape;
  };

  State begin(char* memory) const {
    State s;
    s.slots = reinterpret_cast<void**>(memory);
    s.filledFrom = reinterpret_cast<std::uintptr_t*>(s.slots + plan_.slots.size());
    s.filledShape = reinterpret_cast<std::uint64_t*>(s.filledFrom + plan_.operands.size());
    std::memset(s.filledFrom, 0, 2 * plan_.operands.size() * sizeof(void*));
    for (std::size_t i = 0; i < plan_.slots.size(); ++i) {
      const MapPlan::Slot& slot = plan_.slots[i];
      if (slot.kind == MapPlan::Slot::Kind::Constant)
        s.slots[i] = const_cast<std::uint64_t*>(&plan_.constants[slot.at]);
      else if (slot.kind == MapPlan::Slot::Kind::Buffer)
        s.slots[i] = memory + headBytes_ + slot.at;
    }
    return s;
  }

  void walk(void* const* operands, char* memory, std::int64_t first, std::int64_t last) const {
    if (first >= last) return;
    const State state = begin(memory);
    std::int64_t index[kMaxAxes], sizes[kMaxAxes];
    std::int64_t rest = first;
    for (std::size_t a = plan_.axes.size(); a-- > 0;) {
      index[a] = rest % plan_.axes[a].boxes;
      rest /= plan_.axes[a].boxes;
    }
    for (std::int64_t b = first; b < last; ++b) {
      runBox(operands, state, index, sizes, b, b == first);
      for (std::size_t a = plan_.axes.size(); a-- > 0;) {
        if (++index[a] < plan_.axes[a].boxes) break;
        index[a] = 0;
      }
    }
    if (plan_.streams) _mm_sfence();
  }

  void runBox(void* const* operands, const State& state, const std::int64_t* index,
              std::int64_t* sizes, std::int64_t box, bool first) const {
    std::int64_t n = 1;
    std::uint64_t shape = 0;
    for (std::size_t a = 0; a < plan_.axes.size(); ++a) {
      const MapPlan::Axis& axis = plan_.axes[a];
      sizes[a] = std::min(axis.box, axis.size - index[a] * axis.box);
      n *= sizes[a];
      shape = shape * 0x10001u + static_cast<std::uint64_t>(sizes[a]);
    }
    for (const auto& [slot, operand] : direct_)
      state.slots[slot] = address(operands, operand, index);
    for (const auto o : gathered_) {
      const MapPlan::Operand& operand = plan_.operands[o];
      char* from = address(operands, o, index);
      // Reuse the buffer if the next box reads the same row again, for example a bias.
      if (state.filledFrom[o] == reinterpret_cast<std::uintptr_t>(from) &&
          state.filledShape[o] == shape)
        continue;
      moveBox<true>(from, state.slots[operand.slot], sizes, operand);
      state.filledFrom[o] = reinterpret_cast<std::uintptr_t>(from);
      state.filledShape[o] = shape;
    }
    if (first)
      for (const MapPlan::Step& step : plan_.once) runStep(step, state.slots, plan_.capacity);
    for (const MapPlan::Step& step : plan_.steps) {
      if (step.fn != nullptr)
        runStep(step, state.slots, n);
      else
        plan_.rounding.store(step.from, step.to, state.slots[step.src[0]], state.slots[step.dst], n,
                             box * plan_.capacity, step.value);
    }
    for (const MapPlan::Scatter& s : plan_.scatters)
      moveBox<false>(address(operands, s.operand, index), state.slots[s.slot], sizes,
                     plan_.operands[s.operand]);
  }

  char* address(void* const* operands, std::size_t o, const std::int64_t* index) const {
    char* p = static_cast<char*>(operands[o]);
    for (std::size_t a = 0; a < plan_.axes.size(); ++a)
      p += index[a] * plan_.axes[a].box * plan_.operands[o].strides[a];
    return p;
  }

  static void runStep(const MapPlan::Step& step, void** slots, std::int64_t box) {
    const void* src[kMaxSources];
    for (std::uint8_t i = 0; i < step.count; ++i) src[i] = slots[step.src[i]];
    step.fn(slots[step.dst], src, static_cast<std::size_t>(elementsOf(step.extent, box)));
  }

  MapPlan plan_;
  std::vector<std::pair<std::size_t, std::size_t>> direct_;  // slots that show an operand: both
  std::vector<std::size_t> gathered_;  // operands that buffers are filled from
  std::size_t headBytes_ = 0, threadBytes_ = 0;
};

}  // namespace

std::unique_ptr<Runner> makeMapRunner(MapPlan plan) {
  return std::make_unique<MapRunner>(std::move(plan));
}

}  // namespace popir
