// The symbol of the SDK's headers, by `python -m tools.sdk_digest`. popir's own.
#ifndef popir_sdk_symbol_hpp
#define popir_sdk_symbol_hpp

#define POPIR_SDK_SYMBOL popir_sdk_0_1_0_9470ed1b

#endif
