// Glue code of the kernels beside it: a table with a row for each.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>

#include "tpc_kernel_lib_interface.h"

using namespace tpc_lib_api;

namespace {

struct Row {
  const char* guid;
  unsigned inputs, outputs;
  TensorDataType in, out;
  const unsigned char *begin, *end;
};
#define BYTES(name)                                            \
  extern "C" const unsigned char _binary___##name##_o_start[]; \
  extern "C" const unsigned char _binary___##name##_o_end[];
}  // namespace
BYTES(probe_affine)
BYTES(probe_fill)
BYTES(probe_parts)
BYTES(probe_sum)
BYTES(probe_table)
BYTES(probe_fails)
BYTES(probe_slow)
BYTES(probe_stores)
BYTES(probe_divide)
namespace {

#define OBJECT(name) _binary___##name##_o_start, _binary___##name##_o_end
const unsigned char text[] = "no program";
const Row rows[] = {
    {"probe_affine_f32", 1, 1, DATA_F32, DATA_F32, OBJECT(probe_affine)},
    {"probe_fill_f32", 1, 1, DATA_F32, DATA_F32, OBJECT(probe_fill)},
    {"probe_parts_f32", 1, 2, DATA_F32, DATA_F32, OBJECT(probe_parts)},
    {"probe_sum_f32", 1, 1, DATA_F32, DATA_F32, OBJECT(probe_sum)},
    {"probe_table_f32", 1, 1, DATA_I32, DATA_F32, OBJECT(probe_table)},
    {"probe_fails_f32", 1, 1, DATA_F32, DATA_F32, OBJECT(probe_fails)},
    {"probe_slow_f32", 1, 1, DATA_F32, DATA_F32, OBJECT(probe_slow)},
    {"probe_stores_f32", 1, 1, DATA_F32, DATA_F32, OBJECT(probe_stores)},
    // The first has a kernel of more tensors than its glue code says, the second none.
    {"probe_short_f32", 1, 1, DATA_F32, DATA_F32, OBJECT(probe_parts)},
    {"probe_text_f32", 1, 1, DATA_F32, DATA_F32, text, text + sizeof(text)},
    // Returns the code in its parameters; asks for ever larger buffers; throws.
    {"probe_code_f32", 1, 1, DATA_F32, DATA_F32, OBJECT(probe_fill)},
    {"probe_greedy_f32", 1, 1, DATA_F32, DATA_F32, OBJECT(probe_fill)},
    {"probe_throws_f32", 1, 1, DATA_F32, DATA_F32, OBJECT(probe_fill)},
    {"probe_wide_f32", 1, 1, DATA_F32, DATA_F32, OBJECT(probe_fill)},
    {"probe_divide_f32", 1, 1, DATA_F32, DATA_F32, OBJECT(probe_divide)},
    // Asks for a size that cannot be meant: the one in its parameters.
    {"probe_sizes_f32", 1, 1, DATA_F32, DATA_F32, OBJECT(probe_fill)},
};

GlueCodeReturn oddSizes(int which, HabanaKernelInstantiation* out) {
  auto& table = out->auxiliaryTensors[0];
  table.geometry.dims = which == 4 ? 7 : 2;
  for (auto& size : table.geometry.maxSizes) size = 1;
  table.geometry.dataType = which == 6 ? static_cast<TensorDataType>(3) : DATA_F32;
  out->auxiliaryTensorNr = which == 5 ? 4000000000u : 1;
  if (which == 7) out->auxiliaryTensorNr = 0, out->indexSpaceGeometry[1] = 0;
  if (which == 1) out->kernel.elfSize = 4000000000u;
  if (which == 2) table.bufferSize = std::uint64_t{1} << 60;
  if (which == 3) table.geometry.maxSizes[0] = std::uint64_t{1} << 40;
  if (which == 3) table.geometry.maxSizes[1] = std::uint64_t{1} << 40;
  return which == 1   ? GLUE_INSUFFICIENT_ELF_BUFFER
         : which == 2 ? GLUE_INSUFFICIENT_AUX_BUFFER_SIZE
                      : GLUE_SUCCESS;
}

}  // namespace

extern "C" GlueCodeReturn GetKernelGuids(DeviceId device, uint32_t* count, GuidInfo* guids) {
  if (device != DEVICE_ID_GAUDI) {
    *count = 0;
    return GLUE_SUCCESS;
  }
  if (std::getenv("POPIR_PROBE_GUIDS")) {
    *count = 4000000000u;
    return GLUE_SUCCESS;
  }
  if (guids)
    for (unsigned i = 0; i < *count && i < std::size(rows); ++i)
      std::strcpy(guids[i].name, rows[i].guid);
  *count = std::size(rows);
  return GLUE_SUCCESS;
}

extern "C" GlueCodeReturn InstantiateTpcKernel(HabanaKernelParams* in,
                                               HabanaKernelInstantiation* out) {
  const Row* row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& each) {
    return std::strcmp(each.guid, in->guid.name) == 0;
  });
  if (row == std::end(rows)) return GLUE_NODE_NOT_FOUND;
  const std::string guid = row->guid;
  if (in->inputTensorNr != row->inputs) {
    in->inputTensorNr = row->inputs;
    return GLUE_INCOMPATIBLE_INPUT_COUNT;
  }
  if (in->outputTensorNr != row->outputs) {
    in->outputTensorNr = row->outputs;
    return GLUE_INCOMPATIBLE_OUTPUT_COUNT;
  }
  if (in->inputTensors[0].geometry.dataType != row->in) {
    in->inputTensors[0].geometry.dataType = row->in;
    return GLUE_INCOMPATIBLE_DATA_TYPE;
  }
  const auto* given = static_cast<const int32_t*>(in->nodeParams.nodeParams);
  if (guid == "probe_code_f32" && given) return static_cast<GlueCodeReturn>(*given);
  if (guid == "probe_throws_f32") throw std::runtime_error("thrown by glue code");
  if (guid == "probe_divide_f32" && given) {
    out->kernel.paramsNr = 2;
    std::memcpy(out->kernel.scalarParams, given, 2 * sizeof(int32_t));
  }
  if (guid == "probe_affine_f32") {
    if (!given) return GLUE_MISSING_PRIVATE_STRUCTURE;
    out->kernel.paramsNr = 1;
    std::memcpy(out->kernel.scalarParams, given, sizeof(float));
  }
  auto& target = in->outputTensors[0].geometry;
  if (guid == "probe_affine_f32" &&
      std::memcmp(target.maxSizes, in->inputTensors[0].geometry.maxSizes, 5 * 8) != 0) {
    std::memcpy(target.maxSizes, in->inputTensors[0].geometry.maxSizes, 5 * 8);
    return GLUE_INCOMPATIBLE_OUTPUT_SIZE;
  }
  const auto& space = guid == "probe_sum_f32" ? in->inputTensors[0].geometry : target;
  if (space.dims > 2) return GLUE_UNSUPPORTED_LAYER_CONFIGURATION;
  out->indexSpaceRank = guid == "probe_wide_f32" ? 9 : 2;
  out->indexSpaceGeometry[0] = (space.maxSizes[0] + 63) / 64;
  out->indexSpaceGeometry[1] = space.maxSizes[1];
  if (guid == "probe_sum_f32") {
    out->outputTensorAccessPattern[0].memsetBeforeExecution = 1;
    out->outputTensorAccessPattern[0].memsetValue.fValue = 100;
  }
  out->auxiliaryTensorNr = 0;
  if (guid == "probe_table_f32") {
    auto& table = out->auxiliaryTensors[0];
    out->auxiliaryTensorNr = 1;
    table.geometry.dims = 1;
    table.geometry.maxSizes[0] = 4;
    table.geometry.dataType = DATA_F32;
    if (table.bufferSize < 16) {
      table.bufferSize = 16;
      return GLUE_INSUFFICIENT_AUX_BUFFER_SIZE;
    }
    const float values[] = {0.5f, 1.5f, 2.5f, 3.5f};
    std::memcpy(table.pData, values, sizeof(values));
  }
  if (guid == "probe_greedy_f32") {
    out->kernel.elfSize *= 2;
    return GLUE_INSUFFICIENT_ELF_BUFFER;
  }
  const auto size = static_cast<uint32_t>(row->end - row->begin);
  if (guid == "probe_sizes_f32") {
    std::memcpy(out->kernel.kernelElf, row->begin, size);
    const auto code = oddSizes(given ? *given : 0, out);
    if (code == GLUE_SUCCESS) out->kernel.elfSize = size;
    return code;
  }
  const bool fits = out->kernel.elfSize >= size;
  out->kernel.elfSize = size;
  if (!fits) return GLUE_INSUFFICIENT_ELF_BUFFER;
  std::memcpy(out->kernel.kernelElf, row->begin, size);
  return GLUE_SUCCESS;
}
