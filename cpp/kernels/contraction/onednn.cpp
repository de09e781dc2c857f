#if POPIR_HAVE_ONEDNN
#include "kernels/contraction/onednn.hpp"

#include <cstring>
#include <utility>

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

Call::Call(dnnl::primitive primitive)
    : primitive_(std::move(primitive)), idle_(std::make_unique<Idle>()) {}

std::unique_ptr<Call::Arguments> Call::make() const {
  auto made = std::make_unique<Arguments>();
  for (const auto& [argument, desc] : descs_) {
    made->memories.emplace_back(desc, engine(), nullptr);
    made->list.push_back({argument, made->memories.back().get()});
  }
  return made;
}

std::unique_ptr<Call::Arguments> Call::take() const {
  const std::lock_guard<std::mutex> lock(idle_->mutex);
  auto& idle = idle_->arguments;
  // The first time for all threads of the region, so that later runs make none.
  const unsigned missing = idle_->wereMade ? 1 : pool::threadsOfRegion();
  idle_->wereMade = true;
  if (idle.empty())
    for (unsigned i = 0; i < missing; ++i) idle.push_back(make());
  auto taken = std::move(idle.back());
  idle.pop_back();
  return taken;
}

void Call::giveBack(std::unique_ptr<Arguments> arguments) const {
  const std::lock_guard<std::mutex> lock(idle_->mutex);
  idle_->arguments.push_back(std::move(arguments));
}

void Call::run(void* const* pointers) const {
  auto arguments = take();
  const auto& list = arguments->list;
  for (std::size_t i = 0; i < list.size(); ++i)
    dnnl::error::wrap_c_api(dnnl_memory_set_data_handle(list[i].memory, pointers[i]),
                            "oneDNN refused an operand");
  dnnl::error::wrap_c_api(dnnl_primitive_execute(primitive_.get(), stream().get(),
                                                 static_cast<int>(list.size()), list.data()),
                          "oneDNN could not run a primitive");
  giveBack(std::move(arguments));
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
  void* const pointers[] = {const_cast<void*>(from), to, scratch};
  call_.run(pointers);
}

bool isReference(const char* implementation) {
  return std::strstr(implementation, "ref") != nullptr;
}

bool isGemm(const char* implementation) { return std::strstr(implementation, "gemm") != nullptr; }

}  // namespace onednn
}  // namespace popir
#endif
