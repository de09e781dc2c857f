#include "kernels/movement/slices.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

#include "kernels/check.hpp"
#include "kernels/half.hpp"
#include "kernels/loops.hpp"
#include "kernels/movement/tiles.hpp"
#include "kernels/parallel.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<SlicesKernel> kSavedSlices("slices");

/// The arguments for one run of the kinds that compute.
struct Run {
  const void* scale;
  const Rounding& rounding;
  std::int64_t first;  // result number of the first element
};

// Reads or updates n elements of t, which are `stride` elements apart. `slice` points to the n
// corresponding elements of a slice, which are contiguous.
using Move = void (*)(char* t, std::int64_t stride, char* slice, std::int64_t n, const Run& run);

/// The part of t's first dimension that a task works on.
struct Places {
  std::uint32_t first, count;
};

// Moves slices [begin, end), each of one element, those that lie in `places`. Offsets are taken as
// unsigned: negative ones lie beyond every place.
using MoveEach = void (*)(char* t, std::int64_t stride, const std::uint32_t* offsets, char* slices,
                          std::int64_t begin, std::int64_t end, Places places, const void* scale,
                          const Rounding& rounding);

struct Moves {
  Move run;
  MoveEach each;
};

/// Elements T. What `isRead` and lies nowhere is zero.
template <class T, Move move, bool isRead>
void moveEach(char* t, std::int64_t stride, const std::uint32_t* offsets, char* slices,
              std::int64_t begin, std::int64_t end, Places places, const void* scale,
              const Rounding& rounding) {
  for (std::int64_t i = begin; i < end; ++i) {
    const std::uint32_t place = offsets[i];
    char* slice = slices + i * static_cast<std::int64_t>(sizeof(T));
    if (place - places.first < places.count)
      move(t + place * stride * static_cast<std::int64_t>(sizeof(T)), 1, slice, 1,
           {scale, rounding, i});
    else if constexpr (isRead)
      *reinterpret_cast<T*>(slice) = T();
  }
}

template <class T, Move move, bool isRead = false>
constexpr Moves moves() {
  return {move, moveEach<T, move, isRead>};
}

template <class T>
void readRun(char* t, std::int64_t stride, char* slice, std::int64_t n, const Run&) {
  auto* to = reinterpret_cast<T*>(slice);
  const auto* from = reinterpret_cast<const T*>(t);
  if (stride == 1)
    std::copy_n(from, n, to);
  else
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[i * stride];
}

template <class T>
void writeRun(char* t, std::int64_t stride, char* slice, std::int64_t n, const Run&) {
  auto* to = reinterpret_cast<T*>(t);
  const auto* from = reinterpret_cast<const T*>(slice);
  if (stride == 1)
    std::copy_n(from, n, to);
  else
    for (std::int64_t i = 0; i < n; ++i) to[i * stride] = from[i];
}

/// to[i * stride] = of(to[i * stride], from[i]) for elements T, computed in C.
template <class T, class C, class Of>
void update(T* to, std::int64_t stride, const T* from, std::int64_t n, const Run& run,
            const Of& of) {
  storeEach<C>(to, stride, n, run.rounding, run.first, [&](std::int64_t i) {
    return of(static_cast<C>(to[i * stride]), static_cast<C>(from[i]));
  });
}

/// Add, for elements T, computed in C, and a scale of type S.
template <class T, class C = T, class S = T>
void addRun(char* t, std::int64_t stride, char* slice, std::int64_t n, const Run& run) {
  const auto factor = static_cast<C>(*static_cast<const S*>(run.scale));
  update<T, C>(reinterpret_cast<T*>(t), stride, reinterpret_cast<const T*>(slice), n, run,
               [=](C a, C b) { return a + factor * b; });
}

/// A kind that computes without a scale, by one of the structs below. Elements T, computed in C.
template <class T, class C, class Compute>
void computeRun(char* t, std::int64_t stride, char* slice, std::int64_t n, const Run& run) {
  update<T, C>(reinterpret_cast<T*>(t), stride, reinterpret_cast<const T*>(slice), n, run,
               [](C a, C b) { return Compute::of(a, b); });
}

// Where one is NaN, so is the result.
struct Larger {
  template <class C>
  static C of(C a, C b) {
    return a < b || b != b ? b : a;
  }
};

struct Smaller {
  template <class C>
  static C of(C a, C b) {
    return b < a || b != b ? b : a;
  }
};

struct Product {
  template <class C>
  static C of(C a, C b) {
    if constexpr (std::is_integral_v<C>) {  // wraps, as the device's does
      using U = std::make_unsigned_t<C>;
      return static_cast<C>(static_cast<U>(a) * static_cast<U>(b));
    } else {
      return a * b;
    }
  }
};

template <class Compute>
Moves computing(poplar::Type type) {
  if (type == poplar::HALF) return moves<half, computeRun<half, float, Compute>>();
  if (type == poplar::BFLOAT16) return moves<Bfloat16, computeRun<Bfloat16, float, Compute>>();
  if (type == poplar::DOUBLE) return moves<double, computeRun<double, double, Compute>>();
  if (type == poplar::FLOAT) return moves<float, computeRun<float, float, Compute>>();
  if (type == poplar::INT)
    return moves<std::int32_t, computeRun<std::int32_t, std::int32_t, Compute>>();
  if (type == poplar::LONGLONG)
    return moves<std::int64_t, computeRun<std::int64_t, std::int64_t, Compute>>();
  if (type == poplar::UNSIGNED_LONGLONG)
    return moves<std::uint64_t, computeRun<std::uint64_t, std::uint64_t, Compute>>();
  return moves<std::uint32_t, computeRun<std::uint32_t, std::uint32_t, Compute>>();
}

/// `scale` is the type of the scale.
Moves adding(poplar::Type type, poplar::Type scale) {
  if (type == poplar::HALF)
    return scale == type ? moves<half, addRun<half, float, half>>()
                         : moves<half, addRun<half, float, float>>();
  if (type == poplar::BFLOAT16)
    return scale == type ? moves<Bfloat16, addRun<Bfloat16, float, Bfloat16>>()
                         : moves<Bfloat16, addRun<Bfloat16, float, float>>();
  if (type == poplar::DOUBLE) return moves<double, addRun<double>>();
  if (type == poplar::FLOAT) return moves<float, addRun<float>>();
  // Sums wrap: signed ones are those of unsigned numbers.
  if (type.sizeInBytes() == 8) return moves<std::uint64_t, addRun<std::uint64_t>>();
  return moves<std::uint32_t, addRun<std::uint32_t>>();
}

Moves bySize(std::size_t bytes, const Moves (&each)[4]) {
  return each[bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3];
}

/// Of Add, `scale` is the type of the scale.
Moves movesOf(SlicesKind kind, poplar::Type type, poplar::Type scale) {
  using U8 = std::uint8_t;
  using U16 = std::uint16_t;
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  switch (kind) {
    case SlicesKind::Read:
      return bySize(type.sizeInBytes(),
                    {moves<U8, readRun<U8>, true>(), moves<U16, readRun<U16>, true>(),
                     moves<U32, readRun<U32>, true>(), moves<U64, readRun<U64>, true>()});
    case SlicesKind::Write:
      return bySize(type.sizeInBytes(), {moves<U8, writeRun<U8>>(), moves<U16, writeRun<U16>>(),
                                         moves<U32, writeRun<U32>>(), moves<U64, writeRun<U64>>()});
    case SlicesKind::Max: return computing<Larger>(type);
    case SlicesKind::Mul: return computing<Product>(type);
    case SlicesKind::Min: return computing<Smaller>(type);
    case SlicesKind::Add: break;
  }
  return adding(type, scale);
}

class SlicesRunner : public Runner {
  // Slices and bytes of a slice that are fetched before they are read: their places are not in order.
  static constexpr std::int64_t kAhead = 4, kPrefetched = 512;
  static constexpr std::int64_t kTaskBytes = 4096;  // of a task of readRuns(), at least
  // Of readColumns(): bytes of a block of rows, the fewest rows for which it pays off. Of that and
  // of inOrder(): the most places of t for each slice.
  static constexpr std::int64_t kColumnBytes = 16 * 1024, kLeastRows = 8, kMostColumns = 2;
  static constexpr std::int64_t kPlaces = 64;  // of a task of inOrder()

 public:
  SlicesRunner(SlicesKind kind, const Layout& t, const Layout& offsets, const Layout& slices,
               poplar::Type scale, const Setting& setting)
      : kind_(kind),
        moves_(movesOf(kind, t.type, scale)),
        bytes_(static_cast<std::int64_t>(t.type.sizeInBytes())),
        slices_(offsets.shape[0]),
        isSigned_(offsets.type == poplar::INT),
        threads_(setting.threads),
        rounding_(setting.rounding) {
    std::vector<Loop> loops;
    std::int64_t dense = 1;
    for (std::size_t d = t.shape.size(); d-- > 0; dense *= loops.back().count)
      loops.push_back({slices.shape[d + 1], t.strides[d], dense});
    std::reverse(loops.begin(), loops.end());
    for (std::int64_t d = 0; d < offsets.shape[1]; ++d)
      sliced_.push_back({t.shape[d] - loops[d].count + 1, t.strides[d]});
    // With size 1 along the first dimension, slices at different offsets in it share no element.
    apart_ = !loops.empty() && loops[0].count == 1;
    loops_ = simplified(loops);
    size_ = dense;
    moved_ =
        kind <= SlicesKind::Write && (loops_.empty() || (loops_.size() == 1 && loops_[0].a == 1))
            ? size_ * bytes_
            : 0;
    isEach_ = size_ == 1 && sliced_.size() == 1;
    // Columns: t is dense along the sliced dimension, and strided along the others.
    if (kind == SlicesKind::Read && (loops_.size() == 1 || loops_.size() == 2) &&
        loops_.back().a > 1 && sliced_.size() == 1 && sliced_[0].stride == 1 &&
        sliced_[0].places > 1 && sliced_[0].places <= kMostColumns * slices_) {
      const std::int64_t some =
          std::min(loops_.back().count, kColumnBytes / (sliced_[0].places * bytes_));
      if (some >= kLeastRows) rowsOfBlock_ = some;
    }
    // Many slices of one place each, whose elements are strided, such as the channels of pixels: t
    // is transposed first, so that the elements of a place are contiguous.
    std::int64_t places = 1;
    bool single = !sliced_.empty() && sliced_.size() <= 2 && sliced_.back().stride == 1;
    for (std::size_t d = 0; d < sliced_.size(); ++d) {
      places *= sliced_[d].places;
      single = single && slices.shape[d + 1] == 1;
    }
    if (kind == SlicesKind::Read && rowsOfBlock_ == 0 && single && loops_.size() == 1 &&
        loops_[0].a > 1 && places > 0 && places <= kMostColumns * slices_) {
      from_ = sliced_;
      copied_ = places * size_ * bytes_;
      sliced_.back().stride = size_;
      if (sliced_.size() == 2) sliced_[0].stride = sliced_[1].places * size_;
      moved_ = size_ * bytes_;
    }
  }

  std::size_t scratchBytes() const override { return static_cast<std::size_t>(copied_); }

  void run(void* const* operands, void* scratch) const override {
    auto* t = static_cast<char*>(operands[0]);
    if (copied_ > 0) t = inOrder(t, static_cast<char*>(scratch));
    const auto* offsets =
        static_cast<const std::int32_t*>(operands[kind_ == SlicesKind::Read ? 1 : 2]);
    auto* slices = static_cast<char*>(operands[kind_ == SlicesKind::Read ? 2 : 1]);
    if (isEach_) {
      runEach(t, reinterpret_cast<const std::uint32_t*>(offsets), slices,
              kind_ == SlicesKind::Add ? operands[3] : nullptr);
      return;
    }
    if (rowsOfBlock_ > 0) {
      readColumns(t, offsets, slices);
      return;
    }
    if (kind_ == SlicesKind::Read && moved_ > 0 && sliced_.size() <= 2) {
      const std::int64_t each = std::max<std::int64_t>(1, kTaskBytes / moved_);
      parallelFor((slices_ + each - 1) / each, threads_, slices_ * size_, [&](std::int64_t task) {
        const std::int64_t begin = task * each, end = std::min(begin + each, slices_);
        (sliced_.size() == 1 ? readRuns<1> : readRuns<2>)(*this, t, offsets, slices, begin, end);
      });
      return;
    }
    if (kind_ == SlicesKind::Read) {
      parallelFor(slices_, threads_, slices_ * size_, [&](std::int64_t i) {
        if (moved_ > 0 && i + kAhead < slices_)
          if (const auto later = place(offsets, i + kAhead)) prefetch(t + *later * bytes_);
        if (const auto at = place(offsets, i))
          move(t, *at, slices, i, nullptr);
        else
          std::memset(slices + i * size_ * bytes_, 0, size_ * bytes_);
      });
      return;
    }
    // Each task updates its own part of t: it does all slices there, in their order. So results do
    // not depend on the number of threads.
    const void* scale = kind_ == SlicesKind::Add ? operands[3] : nullptr;
    const std::int64_t tasks = apart_ ? static_cast<std::int64_t>(threads_) : 1;
    parallelFor(tasks, threads_, slices_ * size_, [&](std::int64_t task) {
      for (std::int64_t i = 0; i < slices_; ++i) {
        const auto at = place(offsets, i);
        if (at && (tasks == 1 || offset(offsets, i, 0) % tasks == task))
          move(t, *at, slices, i, scale);
      }
    });
  }

 private:
  struct Sliced {
    std::int64_t places, stride;
  };

  // Slices [begin, end), each of which is one run of bytes, by offsets in one or two dimensions.
  template <int dims>
  static void readRuns(const SlicesRunner& s, const char* t, const std::int32_t* offsets,
                       char* slices, std::int64_t begin, std::int64_t end) {
    switch (s.moved_) {
      case 16: return readRuns<dims, 16>(s, t, offsets, slices, begin, end);
      case 32: return readRuns<dims, 32>(s, t, offsets, slices, begin, end);
      case 64: return readRuns<dims, 64>(s, t, offsets, slices, begin, end);
      case 128: return readRuns<dims, 128>(s, t, offsets, slices, begin, end);
      default: return readRuns<dims, 0>(s, t, offsets, slices, begin, end);
    }
  }
  // The same of `known` bytes; 0 if only the run knows how many.
  template <int dims, int known>
  static void readRuns(const SlicesRunner& s, const char* t, const std::int32_t* offsets,
                       char* slices, std::int64_t begin, std::int64_t end) {
    const std::int64_t bytes = known > 0 ? known : s.moved_;
    std::uint64_t places[dims];
    std::int64_t strides[dims];
    for (int d = 0; d < dims; ++d) {
      places[d] = static_cast<std::uint64_t>(std::max<std::int64_t>(0, s.sliced_[d].places));
      strides[d] = s.sliced_[d].stride * s.bytes_;
    }
    const bool isSigned = s.isSigned_;
    // The place of a slice in bytes, and whether it lies in t.
    const auto find = [&](std::int64_t i, std::int64_t& at) {
      bool inside = true;
      at = 0;
      for (int d = 0; d < dims; ++d) {
        const std::int32_t o = offsets[i * dims + d];
        const std::int64_t place = isSigned ? o : static_cast<std::int64_t>(std::uint32_t(o));
        inside = inside & (static_cast<std::uint64_t>(place) < places[d]);
        at += place * strides[d];
      }
      return inside;
    };
    for (std::int64_t i = begin; i < end; ++i) {
      std::int64_t at;
      if (i + kAhead < end && find(i + kAhead, at)) s.prefetch(t + at);
      char* const to = slices + i * bytes;
      if (find(i, at))
        std::memcpy(to, t + at, static_cast<std::size_t>(bytes));
      else
        std::memset(to, 0, static_cast<std::size_t>(bytes));
    }
  }

  // Of slices of one element. Each task reads a part of the slices, or updates a part of t, in the
  // order of the slices.
  void runEach(char* t, const std::uint32_t* offsets, char* slices, const void* scale) const {
    const std::int64_t most = isSigned_ ? std::int64_t{1} << 31 : std::int64_t{0xffffffff};
    const std::int64_t places = std::clamp<std::int64_t>(sliced_[0].places, 0, most);
    const bool reads = kind_ == SlicesKind::Read;
    const auto tasks = static_cast<std::int64_t>(threads_);
    parallelFor(tasks, threads_, slices_, [&](std::int64_t task) {
      const auto part = [&](std::int64_t n) { return n * task / tasks; };
      const auto next = [&](std::int64_t n) { return n * (task + 1) / tasks; };
      const Places own = {static_cast<std::uint32_t>(reads ? 0 : part(places)),
                          static_cast<std::uint32_t>(reads ? places : next(places) - part(places))};
      moves_.each(t, sliced_[0].stride, offsets, slices, reads ? part(slices_) : 0,
                  reads ? next(slices_) : slices_, own, scale, rounding_);
    });
  }

  // A copy of t in which the elements of a place are contiguous.
  char* inOrder(const char* t, char* copy) const {
    const std::int64_t outer = from_.size() == 2 ? from_[0].places : 1, inner = from_.back().places;
    const std::int64_t step = outer > 1 ? from_[0].stride : 0, row = size_ * bytes_;
    const std::int64_t blocks = (inner + kPlaces - 1) / kPlaces;
    const auto transpose = transposeMatrix(static_cast<std::size_t>(bytes_));
    parallelFor(outer * blocks, threads_, outer * inner * size_, [&](std::int64_t task) {
      const std::int64_t k = task / blocks, first = task % blocks * kPlaces;
      transpose(t + (k * step + first) * bytes_, loops_[0].a * bytes_,
                copy + (k * inner + first) * row, row, std::min(kPlaces, inner - first), size_);
    });
    return copy;
  }

  // Slices that are columns of rows: a block of rows is transposed, then each slice is a copy.
  void readColumns(char* t, const std::int32_t* offsets, char* slices) const {
    const Loop outer = loops_.size() == 2 ? loops_[0] : Loop{1, 0, 0}, inner = loops_.back();
    const std::int64_t blocks = (inner.count + rowsOfBlock_ - 1) / rowsOfBlock_;
    const auto transpose = transposeMatrix(static_cast<std::size_t>(bytes_));
    parallelFor(outer.count * blocks, threads_, slices_ * size_, [&](std::int64_t task) {
      alignas(64) char columns[kColumnBytes];
      const std::int64_t first = task % blocks * rowsOfBlock_, k = task / blocks;
      const std::int64_t n = std::min(rowsOfBlock_, inner.count - first), bytes = n * bytes_;
      transpose(t + (k * outer.a + first * inner.a) * bytes_, inner.a * bytes_, columns, bytes,
                sliced_[0].places, n);
      for (std::int64_t i = 0; i < slices_; ++i) {
        char* const to = slices + (i * size_ + k * outer.b + first) * bytes_;
        if (const auto at = place(offsets, i))
          std::memcpy(to, columns + *at * bytes, static_cast<std::size_t>(bytes));
        else
          std::memset(to, 0, static_cast<std::size_t>(bytes));
      }
    });
  }

  std::int64_t offset(const std::int32_t* offsets, std::int64_t i, std::size_t d) const {
    const std::int32_t value = offsets[i * sliced_.size() + d];
    return isSigned_ ? value : static_cast<std::int64_t>(static_cast<std::uint32_t>(value));
  }

  // Offset of the first element of slice i from the first element of t, in elements; negative if t
  // has negative strides. Nothing if the slice is not entirely inside t.
  std::optional<std::int64_t> place(const std::int32_t* offsets, std::int64_t i) const {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < sliced_.size(); ++d) {
      const std::int64_t o = offset(offsets, i, d);
      if (o < 0 || o >= sliced_[d].places) return std::nullopt;
      at += o * sliced_[d].stride;
    }
    return at;
  }

  void prefetch(const char* slice) const {
    for (std::int64_t b = 0; b < std::min(moved_, kPrefetched); b += 64)
      __builtin_prefetch(slice + b);
  }

  void move(char* t, std::int64_t at, char* slices, std::int64_t i, const void* scale) const {
    if (moved_ > 0) {
      char *part = t + at * bytes_, *slice = slices + i * moved_;
      const bool reads = kind_ == SlicesKind::Read;
      std::memcpy(reads ? slice : part, reads ? part : slice, static_cast<std::size_t>(moved_));
      return;
    }
    const std::int64_t stride = loops_.empty() ? 1 : loops_.back().a;
    if (loops_.size() == 2) {  // as forRuns() below, without divisions
      const Loop &outer = loops_[0], &inner = loops_[1];
      for (std::int64_t k = 0; k < outer.count; ++k)
        moves_.run(t + (at + k * outer.a) * bytes_, stride,
                   slices + (i * size_ + k * outer.b) * bytes_, inner.count,
                   {scale, rounding_, i * size_ + k * outer.b});
      return;
    }
    forRuns(loops_, 0, size_, [&](std::int64_t, std::int64_t n, std::int64_t a, std::int64_t b) {
      moves_.run(t + (at + a) * bytes_, stride, slices + (i * size_ + b) * bytes_, n,
                 {scale, rounding_, i * size_ + b});
    });
  }

  SlicesKind kind_;
  Moves moves_;
  std::int64_t bytes_, slices_, size_;
  std::int64_t moved_;            // bytes of a slice that is copied as one run, else 0
  std::int64_t rowsOfBlock_ = 0;  // of readColumns(); 0 if that does not read
  bool isSigned_, apart_, isEach_;
  unsigned threads_;
  Rounding rounding_;
  std::vector<Sliced> sliced_;
  // Of inOrder(): its bytes, 0 if t is read where it lies, and `sliced_` of t.
  std::int64_t copied_ = 0;
  std::vector<Sliced> from_;
  std::vector<Loop> loops_;
};

}  // namespace

bool SlicesKernel::computes(poplar::Type type) {
  return isFloatOrHalf(type) || type == poplar::DOUBLE || type == poplar::INT ||
         type == poplar::UNSIGNED_INT || type == poplar::LONGLONG ||
         type == poplar::UNSIGNED_LONGLONG;
}

bool SlicesKernel::accepts(std::size_t i, const Layout& layout) const {
  return i == 0 ? layout.channelBlock == Layout::kPlain : Kernel::accepts(i, layout);
}

std::unique_ptr<Runner> SlicesKernel::prepare(const std::vector<Layout>& operands,
                                              const Setting& setting) const {
  return std::make_unique<SlicesRunner>(kind_, operands[0], operands[offsets()], operands[slices()],
                                        operands.back().type, setting);
}

void SlicesKernel::check(const std::vector<OperandInfo>& operands) const {
  const bool reads = kind_ == SlicesKind::Read, adds = kind_ == SlicesKind::Add;
  requireOperands(operands, adds ? 4 : 3);
  const auto &t = operands[0], &offsets = operands[this->offsets()],
             &slices = operands[this->slices()];
  require(kind_ <= SlicesKind::Write || computes(t.type), "it does not compute with this type");
  const auto access = reads                        ? Access::Read
                      : kind_ == SlicesKind::Write ? Access::Write
                                                   : Access::ReadWrite;
  // Elements of t outside of the slices keep their values, so t may also be given as read.
  require(t.access == access || (!reads && t.access == Access::ReadWrite),
          "the whole is read or written where it must not be");
  require(offsets.type == poplar::INT || offsets.type == poplar::UNSIGNED_INT,
          "offsets are 32-bit integers");
  require(offsets.shape.size() == 2 && slices.shape.size() == t.shape.size() + 1 &&
              offsets.shape[0] == slices.shape[0] &&
              offsets.shape[1] <= static_cast<std::int64_t>(t.shape.size()),
          "offsets and slices do not fit the whole");
  for (std::size_t d = 0; d < t.shape.size(); ++d)
    require(slices.shape[d + 1] == t.shape[d] || (static_cast<std::int64_t>(d) < offsets.shape[1] &&
                                                  slices.shape[d + 1] < t.shape[d]),
            "slices are larger than the whole");
  if (planned_) {
    const auto& p = planned_->split;
    const auto few = [](std::uint64_t n) { return n >= 1 && n <= 0xffff'ffff; };
    require(few(p.serial) && few(p.lookups) && few(p.entries) && few(p.columns) && few(p.groups) &&
                few(p.grain) && planned_->first <= 0xffff'ffff && offsets.shape[1] >= 1 &&
                offsets.shape[1] <= 2,
            "there is no such plan of slices");
    for (std::int64_t d = 0; d < offsets.shape[1]; ++d)
      require(slices.shape[static_cast<std::size_t>(d) + 1] == 1,
              "a plan is for slices of one row");
  }
  requireOperand(offsets, Access::Read, offsets.type, offsets.shape);
  requireOperand(slices, reads ? Access::Write : Access::Read, t.type, slices.shape);
  if (!adds) return;
  const auto& scale = operands[3];
  require(scale.type == t.type || (isHalf(t.type) && scale.type == poplar::FLOAT),
          "the scale has another element type");
  require(elementsOf(scale) == 1, "the scale is one element");
  requireOperand(scale, Access::Read, scale.type, scale.shape);
}

Work SlicesKernel::work(const std::vector<Layout>& operands) const {
  const Layout& s = operands[slices()];
  const auto count = static_cast<std::uint64_t>(s.shape[0]);
  const char* const vertices[] = {"popops::MultiSlice", "popops::MultiUpdate",
                                  "popops::MultiUpdateAdd"};
  const bool computes = kind_ > SlicesKind::Write;
  const std::uint64_t flops = kind_ == SlicesKind::Add ? 2 : computes ? 1 : 0;
  const bool inFloat = kind_ == SlicesKind::Add && operands[3].type != s.type;
  const auto scale = kind_ == SlicesKind::Add ? (inFloat ? SliceScale::Float : SliceScale::Same)
                                              : SliceScale::None;
  std::uint64_t rows = count == 1;
  for (std::int64_t d = 0; d < operands[offsets()].shape[1]; ++d)
    rows *= static_cast<std::uint64_t>(s.shape[static_cast<std::size_t>(d) + 1]);
  return {vertices[computes ? 2 : static_cast<int>(kind_)],
          SlicesWork{s.type, count, count == 0 ? 0 : s.elements() / count, scale, rows, planned_},
          flops * s.elements()};
}

}  // namespace popir
