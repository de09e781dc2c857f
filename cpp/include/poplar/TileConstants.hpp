// Names of a tile's registers and of their parts. The numbers are popir's own: nothing on the host
// has these registers. After poplar/TileConstants.hpp of the Poplar SDK 3.
#ifndef poplar_TileConstants_hpp
#define poplar_TileConstants_hpp

#define CSR_W_WSR__INDEX 0
#define CSR_W_WSR__CTXTID_M1__SHIFT 0
#define CSR_W_WSR__CTXTID_M1__MASK 0x7
#define CSR_W_FP_CLR__INDEX 1
#define CSR_W_FP_CLR__ZAACC__SHIFT 0
#define CSR_W_FP_CLR__ZAACC__MASK 0x1
#define CSR_W_FP_CTL__INDEX 2
#define CSR_W_REPEAT_COUNT__VALUE__MASK 0xffff
#define CTXT_WORKERS 6
#define TEXCH_SYNCZONE_LOCAL 0
#define TFPU_FP32_TRUE 0xffffffff
#define TFPU_FP32_FALSE 0
#define TFPU_FP16_TRUE 0xffff
#define TFPU_FP16_FALSE 0

#endif
