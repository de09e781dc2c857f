// The part of XLA's own header of this name that handlers use: the table of functions for
// XLA_FFI_REGISTER_HANDLER. What handlers are written with is in XLA's public headers,
// xla/ffi/api/ffi.h, which jaxlib brings.
#ifndef XLA_FFI_FFI_API_H_
#define XLA_FFI_FFI_API_H_

struct XLA_FFI_Api;

extern "C" const XLA_FFI_Api* XLA_FFI_GetApi();

namespace xla::ffi {

inline const XLA_FFI_Api* GetXlaFfiApi() { return XLA_FFI_GetApi(); }

}  // namespace xla::ffi

#endif  // XLA_FFI_FFI_API_H_
