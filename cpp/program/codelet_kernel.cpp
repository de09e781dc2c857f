#include "program/codelet_kernel.hpp"

#include <popir/Codelet.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "codelets/tile_number.hpp"
#include "kernels/parallel.hpp"
#include "program/codelet_races.hpp"
#include "program/strided_copy.hpp"
#include "support/division.hpp"

namespace popir {

using Direction = CodeletField::Direction;
using Shape = CodeletField::Shape;

/// One block of memory for the vertices, the arrays of pointers for their fields, and copies of
/// elements that are not contiguous in their variables.
class CodeletVertices {
 public:
  CodeletVertices(const GraphImpl& graph, unsigned computeSet, const CodeletSteps& engine,
                  const std::map<unsigned, unsigned>& operandOf)
      : graph_(graph),
        operandOf_(operandOf),
        counts_(engine.checkBounds ? nullptr : engine.counts) {
    const auto& ids = graph.computeSets[computeSet].vertices;
    const Codelet* asked = nullptr;
    TileSetter setTile = nullptr;  // of the codelet that was asked last
    for (const auto id : ids) {
      auto codelet = graph.vertices[id].codelet;
      if (engine.checkBounds)
        codelet = graph.codelets.variant(*codelet, CodeletVariant::CheckBounds);
      for (std::size_t f = 0; f < codelet->numFields; ++f)
        align_ = std::max<std::size_t>(align_, codelet->fields[f].align);
      if (codelet.get() != asked) setTile = tileSetterOf(*codelet);
      asked = codelet.get();
      const auto tile = graph.vertices[id].tile.value_or(0);
      calls_.push_back({codelet, id, 0, tile % graph.target.getTilesPerIPU(), setTile});
    }
    for (auto& each : calls_) each.at = reserve(each.codelet->bytes);
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (std::size_t f = 0; f < calls_[i].codelet->numFields; ++f)
        layOut(calls_[i].codelet->fields[f], graph.vertices[ids[i]].fields[f], calls_[i].at);
    memory_.resize(bytes_ + align_);
    base_ = memory_.data() + (align_ - reinterpret_cast<std::uintptr_t>(memory_.data()) % align_);
    reset();
  }

  void reset() {
    std::memset(base_, 0, bytes_);
    for (const auto& [at, bytes] : values_) std::memcpy(base_ + at, bytes.data(), bytes.size());
    for (const auto& [at, n] : sizes_) std::memcpy(base_ + at, &n, sizeof n);
    for (const auto& p : inside_) setPointer(p.at, base_ + p.offset);
    operands_.clear();
  }

  void prepare(unsigned threads) {
    takeDivisions();
    threads_ = threads;
    prepareCounting();
    for (auto& [size, group] : moves_) {
      if (!group.in.empty()) gather_.push_back(makeStridedCopy(group.in, size, threads));
      if (!group.out.empty()) scatter_.push_back(makeStridedCopy(group.out, size, threads));
    }
    moves_.clear();
  }

  bool counts() const { return !counting_.empty(); }

  /// Like run(). If the engine counts instructions, the first call counts those of each vertex
  /// without a cost estimate: it runs all vertices one after another, and these vertices in the
  /// counting build of their codelet, if it compiled.
  void runFirst(void* const* operands) {
    if (counts()) {
      runAll(operands, [&](const auto& failed) {
        static std::mutex mutex;  // engines share a library's counter
        const std::lock_guard<std::mutex> lock(mutex);
        for (std::size_t k = 0; k < calls_.size(); ++k)
          if (!completes([&] {
                call(k, failed, [&](void* vertex) {
                  const auto counter = counting_.find(calls_[k].codelet.get());
                  if (counter == counting_.end() || estimated(calls_[k].vertex))
                    calls_[k].codelet->compute(vertex);
                  else
                    counts_->instructions[calls_[k].vertex] =
                        count(*counter->second, vertex, calls_[k].tile);
                });
              }))
            failed(k, divided(calls_[k]));
      });
      counting_.clear();
    } else {
      run(operands);
    }
  }

  void run(void* const* operands) {
    runAll(operands, [&](const auto& failed) {
      // One guard against divisions is set up for many vertices.
      const std::size_t parts =
          threads_ == 1 ? 1 : std::min<std::size_t>(calls_.size(), std::size_t{16} * threads_);
      parallelFor(static_cast<std::int64_t>(parts), threads_,
                  elements_ * kWorkOfElement + static_cast<std::int64_t>(calls_.size()),
                  [&](std::int64_t i) {
                    const auto n = static_cast<std::size_t>(i);
                    callSome(n * calls_.size() / parts, (n + 1) * calls_.size() / parts, failed);
                  });
    });
  }

 private:
  struct Call {
    std::shared_ptr<const Codelet> codelet;
    unsigned vertex;
    std::size_t at;
    unsigned tile;  // by number in its IPU
    TileSetter setTile;
  };
  // parallelFor() measures work in elements of a vectorised kernel. A codelet is assumed to take 16
  // times as long for an element, so about 2,048 elements are enough work for a second thread.
  static constexpr std::int64_t kWorkOfElement = 16;

  template <class Calls>
  void runAll(void* const* operands, const Calls& calls) {
    std::vector<void*> all(operands, operands + operandOf_.size());
    if (all != operands_)
      for (const auto& p : outside_)
        setPointer(p.at, static_cast<char*>(all[p.operand]) + p.offset);
    operands_ = all;
    all.push_back(base_);
    for (const auto& move : gather_) move->run(all.data(), nullptr);
    std::mutex mutex;
    std::size_t failed = calls_.size();
    std::string what;
    calls([&](std::size_t k, const std::string& why) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (k >= failed) return;
      failed = k;
      what = why;
    });
    if (failed < calls_.size())
      throw poplar::application_runtime_error(
          "Engine::run: " + vertexText(graph_, calls_[failed].vertex) + " on tile " +
          std::to_string(*graph_.vertices[calls_[failed].vertex].tile) + " " + what);
    for (const auto& move : scatter_) move->run(all.data(), nullptr);
  }

  /// Calls vertices, and goes on after those that divide an integer by zero.
  template <class Failed>
  void callSome(std::size_t first, std::size_t last, const Failed& failed) {
    volatile std::size_t at = first;
    while (at < last) {
      const bool all = completes([&] {
        for (; at < last; at = at + 1) call(at, failed, calls_[at].codelet->compute);
      });
      if (all) return;
      failed(at, divided(calls_[at]));
      at = at + 1;
    }
  }

  /// The error message for an integer division without a result.
  std::string divided(const Call& call) const {
    const auto& files = graph_.codelets.files();
    const auto file = graph_.codelets.fileOf(*graph_.vertices[call.vertex].codelet);
    return std::string("failed: ") + kDivision + " (the codelet '" + call.codelet->name + "' of '" +
           files[file].origin + "')";
  }

  template <class Failed, class Compute>
  void call(std::size_t k, const Failed& failed, const Compute& compute) {
    if (calls_[k].setTile != nullptr) calls_[k].setTile(calls_[k].tile);
    try {
      compute(base_ + calls_[k].at);
    } catch (const std::exception& e) {
      failed(k, std::string("threw: ") + e.what());
    } catch (const OutsideField& outside) {
      failed(k, describe(calls_[k], outside));
    } catch (...) {
      failed(k, "threw: an exception that is no std::exception");
    }
  }

  bool estimated(unsigned vertex) const {
    const auto& v = graph_.vertices[vertex];
    return v.estimated || graph_.perfEstimators.count(v.codelet->name) > 0;
  }

  void prepareCounting() {
    if (!counts_) return;
    for (const auto& c : calls_) {
      if (estimated(c.vertex) || counting_.count(c.codelet.get()) ||
          counts_->failures.count(c.codelet->name))
        continue;
      try {
        counting_[c.codelet.get()] = graph_.codelets.variant(*c.codelet, CodeletVariant::Count);
      } catch (const poplar::poplar_error& e) {
        counts_->failures.emplace(c.codelet->name, e.what());
      }
    }
  }

  std::uint64_t count(const Codelet& codelet, void* vertex, unsigned tile) const {
    if (const auto setTile = tileSetterOf(codelet)) setTile(tile);
    *codelet.executed = 0;
    if (codelet.worker == nullptr) {
      codelet.compute(vertex);
      return *codelet.executed;
    }
    std::uint64_t most = 0;
    for (unsigned w = poplar::MultiVertex::numWorkers(); w-- > 0;) {
      *codelet.executed = 0;
      codelet.worker(vertex, w);
      most = std::max(most, *codelet.executed);
    }
    return most;
  }

  struct Pointer {
    std::size_t at;
    unsigned operand;
    std::size_t offset;
  };
  struct Group {
    std::vector<Move> in, out;
  };
  // A field that is a list of edges.
  struct Rows {
    const char* field;
    std::size_t at, n, step;
  };

  // The error message for an access outside a field.
  std::string describe(const Call& call, const OutsideField& outside) const {
    const auto at = static_cast<std::size_t>(static_cast<const char*>(outside.field) - base_);
    std::string field = "?";
    for (std::size_t f = 0; f < call.codelet->numFields; ++f) {
      const auto& type = call.codelet->fields[f];
      if (at >= call.at + type.offset && at < call.at + type.offset + type.bytes) field = type.name;
    }
    for (const auto& r : rows_)
      if (at >= r.at && at < r.at + r.n * r.step)
        field = std::string(r.field) + "[" + std::to_string((at - r.at) / r.step) + "]";
    return "accessed element " + std::to_string(outside.index) + " of field '" + field +
           "', which has " + std::to_string(outside.size) +
           (outside.size == 1 ? " element" : " elements");
  }

  std::size_t reserve(std::size_t bytes) {
    const auto at = bytes_;
    bytes_ += (std::max<std::size_t>(bytes, 1) + align_ - 1) / align_ * align_;
    return at;
  }
  void setPointer(std::size_t at, const void* to) { std::memcpy(base_ + at, &to, sizeof to); }

  void layOut(const CodeletField& field, const FieldContent& content, std::size_t vertex) {
    const auto at = vertex + field.offset;
    const auto setSize = [&](std::size_t place, std::size_t n) {
      sizes_.emplace_back(place + sizeof(void*), n);
    };
    if (field.direction == Direction::State || content.valued) {
      if (field.direction == Direction::State && field.shape == Shape::Scalar) {
        if (!content.values.empty()) values_.emplace_back(at, content.values);
      } else if (field.type != poplar::Type::Kind::Invalid) {
        const auto place = reserve(content.values.size());
        values_.emplace_back(place, content.values);
        inside_.push_back({at, 0, place});
        if (field.shape == Shape::Vector)
          setSize(at, content.values.size() / poplar::Type(field.type).sizeInBytes());
      }
      return;
    }
    switch (field.shape) {
      case Shape::Scalar: return edge(field, content, 0, at);
      case Shape::Vector:
        setSize(at, content.tensors[0].numElements());
        return edge(field, content, 0, at);
      case Shape::Scalars:
      case Shape::Vectors: break;
    }
    const auto step = sizeof(void*) * ((field.shape == Shape::Scalars ? 1 : 2) +
                                       (content.metadata.empty() ? 0 : 1));
    const auto n = content.tensors.size(), rows = reserve(n * step);
    inside_.push_back({at, 0, rows});
    rows_.push_back({field.name, rows, n, step});
    setSize(at, n);
    if (!content.metadata.empty()) metadataEdge(field, content, at + 2 * sizeof(void*));
    for (std::size_t i = 0; i < n; ++i) {
      edge(field, content, i, rows + i * step);
      if (field.shape == Shape::Vectors) setSize(rows + i * step, content.tensors[i].numElements());
    }
  }

  /// The pointer to metadata that fields of quarter, and each of their edges, have at their end.
  void metadataEdge(const CodeletField& field, const FieldContent& content, std::size_t at) {
    CodeletField read = field;
    read.direction = Direction::Input;
    read.align = 1;
    edge(read, content.metadata.front(), at);
  }

  void edge(const CodeletField& field, const FieldContent& content, std::size_t i, std::size_t at) {
    edge(field, content.tensors[i], at);
    if (content.metadata.empty()) return;
    const bool sized = field.shape == Shape::Vector || field.shape == Shape::Vectors;
    metadataEdge(field, content, at + sizeof(void*) * (sized ? 2 : 1));
  }

  /// Makes a field point at the elements in their variable if they are contiguous, else at a copy.
  void edge(const CodeletField& field, const poplar::Tensor& t, std::size_t at) {
    const auto size = t.elementType().sizeInBytes();
    const auto n = t.view().elements();
    elements_ += n;
    if (n == 0) return inside_.push_back({at, 0, reserve(0)});
    const auto affine = t.flatten().view().affine();
    if (affine && (n == 1 || affine->strides[0] == 1) && field.align <= size) {
      outside_.push_back(
          {at, operandOf_.at(affine->variable), static_cast<std::size_t>(affine->offset) * size});
      return;
    }
    const auto copy = reserve(static_cast<std::size_t>(n) * size);
    inside_.push_back({at, 0, copy});
    const auto own = static_cast<unsigned>(operandOf_.size());
    auto& group = moves_[size];
    t.view().expand(Nest{0, 0, {{n, 1, 1}}}, [&](unsigned v, Nest nest) {
      nest.to += static_cast<std::int64_t>(copy / size);
      const auto operand = operandOf_.at(v);
      if (field.direction != Direction::Output) group.in.push_back({operand, own, nest});
      std::swap(nest.from, nest.to);
      for (auto& d : nest.dims) std::swap(d.from, d.to);
      if (field.direction != Direction::Input) group.out.push_back({own, operand, std::move(nest)});
    });
  }

  const GraphImpl& graph_;
  const std::map<unsigned, unsigned> operandOf_;  // by variable
  const std::shared_ptr<CodeletCounts> counts_;
  // By codelet: its counting build. Empty after the first run.
  std::map<const Codelet*, std::shared_ptr<const Codelet>> counting_;
  std::vector<Call> calls_;
  std::vector<Pointer> inside_, outside_;
  std::vector<Rows> rows_;
  std::vector<std::pair<std::size_t, std::vector<unsigned char>>> values_;
  std::vector<std::pair<std::size_t, std::size_t>> sizes_;
  std::map<std::size_t, Group> moves_;  // by bytes of an element
  std::vector<std::unique_ptr<Runner>> gather_, scatter_;
  std::vector<void*> operands_;  // of the last run
  std::vector<char> memory_;
  char* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t align_ = 64;  // of all that is reserved; more if a field asks for more
  std::int64_t elements_ = 0;
  unsigned threads_ = 1;
};

namespace {

class CodeletRunner final : public Runner {
 public:
  explicit CodeletRunner(std::shared_ptr<CodeletVertices> vertices)
      : vertices_(std::move(vertices)) {}
  void run(void* const* operands, void*) const override { vertices_->run(operands); }

 private:
  std::shared_ptr<CodeletVertices> vertices_;
};

// A runner that counts the instructions of the first execution. Engines that do not count use
// CodeletRunner.
class CountingRunner final : public Runner {
 public:
  explicit CountingRunner(std::shared_ptr<CodeletVertices> vertices)
      : vertices_(std::move(vertices)) {}
  void run(void* const* operands, void*) const override { vertices_->runFirst(operands); }

 private:
  std::shared_ptr<CodeletVertices> vertices_;
};

}  // namespace

CodeletKernel::CodeletKernel(const GraphImpl& graph, unsigned computeSet,
                             const CodeletSteps& engine, std::vector<BulkOperand>& operands)
    : computeSet_(computeSet) {
  checkComplete(graph, computeSet);
  std::map<unsigned, unsigned> operandOf;
  for (const auto& [id, access] : codeletAccesses(graph, computeSet)) {
    const auto& v = graph.variable(id);
    operandOf.emplace(id, static_cast<unsigned>(operands.size()));
    operands.push_back(
        {poplar::Tensor(View::ofVariable(&graph, id, v.constant, v.type, v.shape)), access});
  }
  vertices_ = std::make_shared<CodeletVertices>(graph, computeSet, engine, operandOf);
}

std::unique_ptr<Runner> CodeletKernel::prepare(const std::vector<Layout>&,
                                               const Setting& setting) const {
  vertices_->prepare(setting.threads);
  if (vertices_->counts()) return std::make_unique<CountingRunner>(vertices_);
  return std::make_unique<CodeletRunner>(vertices_);
}

void CodeletKernel::reset() const { vertices_->reset(); }

Work CodeletKernel::work(const std::vector<Layout>&) const { return {name(), UnknownWork{}}; }

void CodeletSteps::reset() const {
  for (const auto& [set, vertex] : steps)
    static_cast<const CodeletKernel&>(*vertex->kernel).reset();
}

std::shared_ptr<const BulkVertex> codeletStep(const GraphImpl& graph, unsigned computeSet,
                                              CodeletSteps& known) {
  auto& step = known.steps[computeSet];
  if (!step) {
    auto vertex = std::make_shared<BulkVertex>();
    vertex->kernel = std::make_shared<CodeletKernel>(graph, computeSet, known, vertex->operands);
    vertex->name = graph.computeSets[computeSet].name;
    step = std::move(vertex);
  }
  return step;
}

}  // namespace popir
