# Source this in bash or zsh; compilers, linkers, loaders and CMake then find popir without options.
#   source "$(popir-config --enable)"
if [ -n "${BASH_SOURCE:-}" ]; then
  _popir_root=${BASH_SOURCE[0]}
elif [ -n "${ZSH_VERSION:-}" ]; then
  eval '_popir_root=${(%):-%x}'
else
  echo "popir's enable.sh must be sourced in bash or zsh." >&2
  return 1
fi

_popir_root=$(CDPATH='' cd -- "$(dirname -- "$_popir_root")" && pwd -P)
export CPATH="$_popir_root/include${CPATH:+:$CPATH}"
export CPLUS_INCLUDE_PATH="$_popir_root/compat${CPLUS_INCLUDE_PATH:+:$CPLUS_INCLUDE_PATH}"
export LIBRARY_PATH="$_popir_root/lib${LIBRARY_PATH:+:$LIBRARY_PATH}"
export LD_LIBRARY_PATH="$_popir_root/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export CMAKE_PREFIX_PATH="$_popir_root${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
export PATH="$_popir_root/bin${PATH:+:$PATH}"
unset _popir_root
