#!/bin/sh
# Builds the modules: `build.sh [FOLDER]` writes them to FOLDER, by default beside their sources.
# Needs Debian's clang-15 and llvm-spirv-15.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
cd "$here"
for source in *.cl; do
    name=${source%.cl}
    case $name in
    group_functions) std=CL2.0 ;;
    *) std=CL1.2 ;;
    esac
    clang-15 -target spir64 -x cl -cl-std=$std -Xclang -finclude-default-header \
        -Xclang -cl-ext=+all -O2 -fno-vectorize -fno-slp-vectorize \
        -emit-llvm -c "$source" -o "$out/$name.bc"
    llvm-spirv-15 --spirv-max-version=1.1 "$out/$name.bc" -o "$out/$name.spv"
    rm "$out/$name.bc"
done
