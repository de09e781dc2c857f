#if POPIR_HAVE_ONEDNN
#include "kernels/contraction/onednn.hpp"

#include <cstring>

#include "kernels/pool.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace onednn {
namespace {

using Desc = dnnl::memory::desc;
using Tag = dnnl::memory::format_tag;

Desc blockedDesc(const Layout& layout, int block) {
  static const Tag kLast[] = {Tag::nwc, Tag::nhwc, Tag::ndhwc};
  static const Tag kEight[] = {Tag::nCw8c, Tag::nChw8c, Tag::nCdhw8c};
  static const Tag kSixteen[] = {Tag::nCw16c, Tag::nChw16c, Tag::nCdhw16c};
  const Tag* tags = block == Layout::kChannelsLast ? kLast
                    : block == 8                   ? kEight
                    : block == 16                  ? kSixteen
                                                   : nullptr;
  if (tags == nullptr) return Desc();
  return Desc(layout.shape, kFloat, tags[layout.shape.size() - 3]);
}

dnnl::engine makeEngine() {
  // This fails if another user of this oneDNN library called it first. oneDNN then selects the
  // instruction set itself.
  if (isa() == Isa::Base) dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41);
  if (isa() == Isa::Avx2) dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2);
  return dnnl::engine(dnnl::engine::kind::cpu, 0);
}

}  // namespace

const dnnl::engine& engine() {
  static const dnnl::engine theEngine = makeEngine();
  return theEngine;
}

dnnl::stream& stream() {
  thread_local dnnl::stream theStream(engine());
  return theStream;
}

dnnl::primitive_attr userScratch() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

Desc desc(const Layout& layout) {
  if (layout.channelBlock != Layout::kPlain) return blockedDesc(layout, layout.channelBlock);
  return Desc(layout.shape, kFloat, layout.strides);
}

Desc openDesc(const Layout& layout) { return Desc(layout.shape, kFloat, Tag::any); }

int channelBlockOf(const Desc& desc, const Layout& layout) {
  for (int block : {16, 8, Layout::kChannelsLast}) {
    if (block > 0 && layout.shape[1] % block != 0) continue;
    if (desc == blockedDesc(layout, block)) return block;
  }
  return Layout::kPlain;
}

void Call::add(int argument, const Desc& desc) {
  memories_.emplace_back(desc, engine(), nullptr);
  arguments_.push_back({argument, memories_.back().get()});
}

void Call::run(const std::vector<void*>& pointers) const {
  if (pool::inRegion()) return copy().runAlone(pointers);
  runAlone(pointers);
}

Call Call::copy() const {
  Call call(primitive_);
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    call.add(arguments_[i].arg, memories_[i].get_desc());
  return call;
}

void Call::runAlone(const std::vector<void*>& pointers) const {
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    dnnl::error::wrap_c_api(dnnl_memory_set_data_handle(arguments_[i].memory, pointers[i]),
                            "oneDNN refused an operand");
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(primitive_.get(), stream().get(), static_cast<int>(arguments_.size()),
                             arguments_.data()),
      "oneDNN could not run a primitive");
}

Reorder::Reorder(const Desc& from, const Desc& to) {
  if (from == to) return;
  const dnnl::reorder::primitive_desc pd(engine(), from, engine(), to, userScratch());
  call_ = Call(dnnl::reorder(pd));
  call_.add(DNNL_ARG_FROM, from);
  call_.add(DNNL_ARG_TO, to);
  call_.add(DNNL_ARG_SCRATCHPAD, pd.scratchpad_desc());
  scratchBytes_ = contraction::aligned(pd.scratchpad_desc().get_size());
}

void Reorder::run(const void* from, void* to, void* scratch) const {
  call_.run({const_cast<void*>(from), to, scratch});
}

bool isReference(const char* implementation) {
  return std::strstr(implementation, "ref") != nullptr;
}

bool isGemm(const char* implementation) { return std::strstr(implementation, "gemm") != nullptr; }

}  // namespace onednn
}  // namespace popir
#endif
