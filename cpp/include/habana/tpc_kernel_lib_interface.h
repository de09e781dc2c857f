// What a library of TPC kernels and the program that loads it say to each other: names and layouts
// are those of Habana's public interface, so that glue code compiles unchanged.
//
// A library exports GetKernelGuids, which names its kernels, and InstantiateTpcKernel, which says
// for one node how its kernel is run: the index space, the scalars, tables (auxiliary tensors) and
// the program itself.
#ifndef popir_habana_tpc_kernel_lib_interface_h
#define popir_habana_tpc_kernel_lib_interface_h

#include <stdint.h>

#define _IN_
#define _OUT_
#define _INOUT_

#define KERNEL_GUIDS_ENTRY_POINT_NAME "GetKernelGuids"
#define KERNEL_INSTANTIATION_ENTRY_POINT_NAME "InstantiateTpcKernel"
#define GET_SUPPORTED_DATA_LAYOUTS_ENTRY_POINT_NAME "GetSupportedDataLayouts"
#define GET_SHAPE_INFERENCE_ENTRY_POINT_NAME "GetShapeInference"
#define GET_LIB_VERSION_ENTRY_POINT_NAME "GetLibVersion"

namespace tpc_lib_api {

static const uint32_t MAX_SCALAR_PARAMS = 32;
static const uint32_t MAX_NODE_NAME = 64;
static const uint32_t MAX_INDEX_SPACE_DIM_SIZE = 5;
static const uint32_t MAX_TENSOR_DIM = 25;

typedef enum _DeviceId {
  DEVICE_ID_GAUDI = 1,
  DEVICE_ID_GRECO = 2,
  DEVICE_ID_GAUDI2 = 3,
  DEVICE_ID_GAUDI3 = 4,
  DEVICE_ID_MAX = 5
} DeviceId;

typedef enum _GlueCodeReturn {
  GLUE_SUCCESS = 0,
  GLUE_NODE_NOT_FOUND = 1,
  GLUE_INSUFFICIENT_ISA_BUFFER = 2,
  GLUE_INCOMPATIBLE_INPUT_COUNT = 3,
  GLUE_INCOMPATIBLE_INPUT_SIZE = 4,
  GLUE_INCOMPATIBLE_OUTPUT_COUNT = 5,
  GLUE_INCOMPATIBLE_OUTPUT_SIZE = 6,
  GLUE_INCOMPATIBLE_DATA_TYPE = 7,
  GLUE_UNSUPPORTED_LAYER_CONFIGURATION = 8,
  GLUE_INSUFFICIENT_AUX_BUFFER_SIZE = 9,
  GLUE_UNSUPPORTED_QUANT_PARAMS = 10,
  GLUE_UNSUPPORTED_BROADCAST_MODE = 11,
  GLUE_UNSUPPORTED_API_VERSION = 12,
  GLUE_NON_STATIC_INPUT_TENSOR = 13,
  GLUE_KERNEL_REQUIRE_REDUCIBLE_TENSOR = 14,
  GLUE_INVALID_SHAPE_INFERENCE_ID = 15,
  GLUE_KERNEL_INVALID_SCALAR_ARGUMENT = 16,
  GLUE_UNSUPPORTED_LOW_FCD_INPUT = 17,
  GLUE_INSUFFICIENT_ELF_BUFFER = 18,
  GLUE_MISSING_PRIVATE_STRUCTURE = 19,
  GLUE_UNSUPPORTED_5D_TENSORS = 20,
  GLUE_CGUID_GRAPH_UNCHANGED = 21,
  GLUE_SIF_NULL_PTR = 22,
  GLUE_UNSUPPORTED_DYNAMIC_SHAPE = 23,
  GLUE_UNSUPPORTED_HUGE_TENSORS = 24,
  GLUE_FAILED = 400
} GlueCodeReturn;

/// One bit each.
typedef enum _TensorDataType {
  DATA_I4 = 1 << 0,
  DATA_U4 = 1 << 1,
  DATA_I8 = 1 << 2,
  DATA_U8 = 1 << 3,
  DATA_F8_152 = 1 << 4,
  DATA_F8_143 = 1 << 5,
  DATA_I16 = 1 << 6,
  DATA_U16 = 1 << 7,
  DATA_BF16 = 1 << 8,
  DATA_F16 = 1 << 9,
  DATA_I32 = 1 << 10,
  DATA_U32 = 1 << 11,
  DATA_F32 = 1 << 12,
  DATA_I64 = 1 << 13,
  DATA_U64 = 1 << 14,
  NUM_DATATYPES = 15
} TensorDataType;

typedef struct _TensorDataLayout {
  char layout[MAX_TENSOR_DIM];
} TensorDataLayout;

typedef struct _NodeDataLayouts {
  TensorDataLayout* inputs;
  uint32_t inputTensorNr;
  TensorDataLayout* outputs;
  uint32_t outputTensorNr;
  TensorDataLayout* shapeTensors;
  uint32_t shapeTensorNr;
} NodeDataLayouts;

typedef struct _UniqueShapeInferenceHash {
  union {
    struct {
      uint64_t hashValue : 56;
      uint64_t sharedObjectId : 8;
    };
    uint64_t Value;
  };
} UniqueShapeInferenceHash;

/// The name of a kernel. The hash is the library's own: it gets back what it gave.
typedef struct _GuidInfo {
  char name[MAX_NODE_NAME];
  UniqueShapeInferenceHash nameHash;
  union {
    struct {
      uint32_t supportsDynamicShapes : 1;
      uint32_t supports64bit : 1;
      uint32_t : 30;
    };
    uint32_t kernelProperties;
  };
} GuidInfo;

/// The parameters of a node: a structure that its kernel knows.
typedef struct _UserParams {
  void* nodeParams;
  uint32_t nodeParamsSize;
} UserParams;

typedef union _ElementValue {
  float fValue;
  uint32_t u32Value;
  int32_t i32Value;
  uint16_t u16Value;
  int16_t i16Value;
  uint8_t u8Value;
  int8_t i8Value;
  uint64_t u64Value;
  int64_t i64Value;
} ElementValue;

/// Sizes begin with the dimension whose elements lie side by side. popir's shapes are static: the
/// two arrays are equal.
typedef struct _TensorGeometry {
  uint32_t dims;
  uint64_t maxSizes[MAX_TENSOR_DIM];
  uint64_t minSizes[MAX_TENSOR_DIM];
  TensorDataType dataType;
} TensorGeometry;

typedef struct _TensorQuantizationParam {
  union {
    int8_t zeroPoint;
    uint8_t zeroPointU8;
    int8_t fp8bias;
  };
  double scale;
} TensorQuantizationParam;

typedef struct _Tensor {
  TensorGeometry geometry;
  TensorQuantizationParam quantizationParam;
  TensorDataLayout layout;
  union {
    struct {
      uint32_t Reducible : 1;
      uint32_t Null : 1;
      uint32_t : 30;
    };
    uint32_t flags;
  };
  /// The values, if they are known when the node is compiled. popir gives null.
  const void* pData;
  uint32_t permutation[MAX_TENSOR_DIM];
  uint32_t reserved[6];
} Tensor;

/// A tensor whose values the library fills in.
typedef struct _AuxTensor {
  _OUT_ TensorGeometry geometry;
  _IN_ void* pData;
  /// In bytes: of what the loader gives, then of what the library needs.
  _INOUT_ uint64_t bufferSize;
  union {
    struct {
      uint32_t sramAlloc : 1;
      uint32_t noInit : 1;
      uint32_t : 30;
    };
    uint32_t flags;
  };
  uint32_t reserved[6];
} AuxTensor;

/// Index i of the index space touches the elements from a*i+start_b to a*i+end_b of a dimension.
typedef struct _DimIndexSpaceMapping {
  uint32_t indexSpaceDim;
  float a;
  float start_b;
  float end_b;
  bool allRequired;
} DimIndexSpaceMapping;

typedef struct _TensorAccessPattern {
  union {
    struct {
      uint32_t allRequired : 1;
      uint32_t memsetBeforeExecution : 1;
      uint32_t inputsReusability : 16;
      uint32_t inputReusabilityBinding : 1;
      uint32_t sparseAccess : 1;
      uint32_t noRmwAccess : 1;
      uint32_t fullyAccessedOnce : 1;
      uint32_t fullyWritten : 1;
      uint32_t : 9;
    };
    uint32_t Value;
  };
  DimIndexSpaceMapping mapping[MAX_TENSOR_DIM];
  ElementValue memsetValue;
  uint32_t reserved[6];
} TensorAccessPattern;

typedef struct _HabanaKernelParams {
  _IN_ int apiVersion;
  _IN_ DeviceId deviceId;
  _IN_ GuidInfo guid;
  _IN_ UserParams nodeParams;
  _IN_ Tensor* inputTensors;
  _IN_ uint32_t inputTensorNr;
  _IN_ Tensor* outputTensors;
  _IN_ uint32_t outputTensorNr;
  _IN_ uint32_t maxAvailableTpc;
  _IN_ uint32_t useDeterministic;
  _IN_ uint64_t uniqueNodeId;
  _IN_ uint32_t debugFlags;
  _IN_ uint16_t validInputTensors;
  _IN_ uint16_t validOutputTensors;
  uint32_t reserved[24];
} HabanaKernelParams;

/// The program of a kernel, and its scalars as words.
typedef struct _DeviceKernel {
  _IN_ void* kernelElf;
  _INOUT_ uint32_t elfSize;
  _OUT_ uint32_t scalarParams[MAX_SCALAR_PARAMS];
  _OUT_ uint32_t paramsNr;
} DeviceKernel;

/// The arrays of access patterns and of 16 auxiliary tensors belong to the loader.
typedef struct _HabanaKernelInstantiation {
  _OUT_ uint32_t indexSpaceRank;
  _OUT_ uint64_t indexSpaceGeometry[MAX_INDEX_SPACE_DIM_SIZE];
  _OUT_ TensorAccessPattern* inputTensorAccessPattern;
  _OUT_ TensorAccessPattern* outputTensorAccessPattern;
  _INOUT_ AuxTensor* auxiliaryTensors;
  _INOUT_ uint32_t auxiliaryTensorNr;
  _INOUT_ DeviceKernel kernel;
  _OUT_ uint32_t preferredSplitDim;
  uint32_t reserved[15];
} HabanaKernelInstantiation;

typedef struct _NodeTensorPermutation {
  uint32_t permutation[MAX_TENSOR_DIM];
} NodeTensorPermutation;

typedef struct _TensorShapeInfo {
  TensorGeometry geometry;
  uint32_t* hostAddress;
  uint32_t reserved[8];
} TensorShapeInfo;

typedef struct _ShapeInferenceParams {
  int apiVersion;
  uint64_t uniqueNodeId;
  GuidInfo guid;
  TensorShapeInfo** inputTensors;
  uint32_t inputTensorsNr;
  UserParams nodeParams;
  uint32_t outputTensorsNr;
  NodeTensorPermutation* inputPermutations;
  NodeTensorPermutation* outputPermutations;
  GuidInfo* pGuid;
  uint32_t maxAvailableTpc;
  uint32_t reserved[3];
} ShapeInferenceParams;

typedef struct _ShapeInferenceOutput {
  TensorShapeInfo** outputTensors;
  uint32_t* invalidMask;
  uint32_t reserved[6];
} ShapeInferenceOutput;

/// Called first without an array, for the number of kernels, then with one for that many.
typedef GlueCodeReturn (*pfnGetKernelGuids)(_IN_ DeviceId deviceId, _INOUT_ uint32_t* kernelCount,
                                            _OUT_ GuidInfo* guids);
typedef GlueCodeReturn (*pfnInstantiateTpcKernel)(_IN_ const HabanaKernelParams* params,
                                                  _INOUT_ HabanaKernelInstantiation* instance);
typedef GlueCodeReturn (*pfnGetSupportedDataLayout)(_IN_ const HabanaKernelParams* params,
                                                    _OUT_ NodeDataLayouts* supportedLayouts,
                                                    _INOUT_ uint32_t* layoutCount);
typedef GlueCodeReturn (*pfnGetShapeInference)(_IN_ DeviceId deviceId,
                                               _IN_ const ShapeInferenceParams* inputParams,
                                               _OUT_ ShapeInferenceOutput* outputData);
typedef uint64_t (*pfnGetLibVersion)();

}  // namespace tpc_lib_api

#endif
