#!/bin/sh
# Builds the modules: `build.sh [FOLDER]` writes them to FOLDER, by default beside their sources.
# Needs Debian's clang-15, llvm-spirv-15 and spirv-tools.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
cd "$here"
for source in *.cl; do
    name=${source%.cl}
    case $name in
    sub_group | group_operations | group_blocks) std=CL3.0 version=1.3 ;;
    address_spaces | chosen_functions | images | variables | waiting) std=CL2.0 version=1.1 ;;
    *) std=CL1.2 version=1.1 ;;
    esac
    # Optimised, its loops would have instructions that the translator does not know.
    case $name in
    lanes) level=-O0 ;;
    *) level=-O1 ;;
    esac
    clang-15 -target spir64 -x cl -cl-std=$std -Xclang -finclude-default-header \
        -Xclang -cl-ext=+all $level -emit-llvm -c "$source" -o "$out/$name.bc"
    llvm-spirv-15 --spirv-max-version=$version \
        --spirv-ext=+SPV_INTEL_subgroups,+SPV_INTEL_function_pointers \
        "$out/$name.bc" -o "$out/$name.spv"
    rm "$out/$name.bc"
done
for source in *.clcpp; do
    name=${source%.clcpp}
    # Optimised, the constructor would run while compiling.
    clang-15 -target spir64 -x clcpp -cl-std=clc++ -Xclang -finclude-default-header -O0 \
        -emit-llvm -c "$source" -o "$out/$name.bc"
    llvm-spirv-15 --spirv-max-version=1.1 "$out/$name.bc" -o "$out/$name.spv"
    rm "$out/$name.bc"
done
for source in *.spvasm; do
    spirv-as --preserve-numeric-ids --target-env spv1.1 "$source" -o "$out/${source%.spvasm}.spv"
done
