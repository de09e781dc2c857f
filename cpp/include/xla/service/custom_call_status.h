// What a custom call of the API versions 2 and 3 reports: that it has succeeded, which is the
// default, or failed.
#ifndef XLA_SERVICE_CUSTOM_CALL_STATUS_H_
#define XLA_SERVICE_CUSTOM_CALL_STATUS_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;

/// The call has succeeded.
void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status);
/// The call has failed, and none of its results is used. `message` has `message_len` bytes, or ends
/// before at a NUL; it is copied.
void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                   size_t message_len);

#ifdef __cplusplus
}
#endif

#endif  // XLA_SERVICE_CUSTOM_CALL_STATUS_H_
