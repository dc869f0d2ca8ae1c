#!/bin/sh
# Builds the modules: `build.sh [FOLDER]` writes them to FOLDER, by default beside their sources.
# Needs Debian's clang-15, llvm-spirv-15 and spirv-tools.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
cd "$here"
for source in *.cl; do
    name=${source%.cl}
    clang-15 -target spir64 -x cl -cl-std=CL2.0 -Xclang -finclude-default-header \
        -Xclang -cl-ext=+all -O2 -emit-llvm -c "$source" -o "$out/$name.bc"
    llvm-spirv-15 --spirv-max-version=1.1 "$out/$name.bc" -o "$out/$name.spv"
    rm "$out/$name.bc"
done
for source in *.spvasm; do
    [ -e "$source" ] || continue
    spirv-as --preserve-numeric-ids --target-env spv1.1 "$source" -o "$out/${source%.spvasm}.spv"
done
