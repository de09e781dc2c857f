// Glue code: says what kernels the library has, and how each is run for the shapes of a node.
#include <cstring>

#include "tpc_kernel_lib_interface.h"

extern "C" const unsigned char _binary___softsign_f32_o_start[], _binary___softsign_f32_o_end[];
extern "C" const unsigned char _binary___softsign_grad_f32_o_start[],
    _binary___softsign_grad_f32_o_end[];

using namespace tpc_lib_api;

namespace {

struct KernelRow {
  const char* guid;
  unsigned inputs;
  const unsigned char *begin, *end;
};
const KernelRow rows[] = {
    {"softsign_fwd_f32", 1, _binary___softsign_f32_o_start, _binary___softsign_f32_o_end},
    {"softsign_bwd_f32", 2, _binary___softsign_grad_f32_o_start, _binary___softsign_grad_f32_o_end},
};

}  // namespace

extern "C" {

GlueCodeReturn GetKernelGuids(DeviceId, uint32_t* count, GuidInfo* guids) {
  if (guids)
    for (unsigned i = 0; i < 2; ++i) std::strcpy(guids[i].name, rows[i].guid);
  *count = 2;
  return GLUE_SUCCESS;
}

GlueCodeReturn InstantiateTpcKernel(HabanaKernelParams* node, HabanaKernelInstantiation* out) {
  for (const KernelRow& row : rows) {
    if (std::strcmp(row.guid, node->guid.name) != 0) continue;
    if (node->inputTensorNr != row.inputs) return GLUE_INCOMPATIBLE_INPUT_COUNT;
    if (node->outputTensorNr != 1) return GLUE_INCOMPATIBLE_OUTPUT_COUNT;
    const TensorGeometry& y = node->outputTensors[0].geometry;
    for (unsigned i = 0; i < row.inputs; ++i) {
      const TensorGeometry& x = node->inputTensors[i].geometry;
      if (x.dataType != DATA_F32 || y.dataType != DATA_F32) return GLUE_INCOMPATIBLE_DATA_TYPE;
      if (x.dims > 2) return GLUE_UNSUPPORTED_LAYER_CONFIGURATION;
      if (std::memcmp(x.maxSizes, y.maxSizes, x.dims * sizeof(uint64_t)) != 0)
        return GLUE_INCOMPATIBLE_INPUT_SIZE;
    }
    out->indexSpaceRank = 2;
    out->indexSpaceGeometry[0] = (y.maxSizes[0] + 63) / 64;
    out->indexSpaceGeometry[1] = y.maxSizes[1];
    out->auxiliaryTensorNr = 0;
    const auto size = static_cast<uint32_t>(row.end - row.begin);
    const bool fits = out->kernel.elfSize >= size;
    out->kernel.elfSize = size;
    if (!fits) return GLUE_INSUFFICIENT_ELF_BUFFER;
    std::memcpy(out->kernel.kernelElf, row.begin, size);
    return GLUE_SUCCESS;
  }
  return GLUE_NODE_NOT_FOUND;
}

}  // extern "C"
