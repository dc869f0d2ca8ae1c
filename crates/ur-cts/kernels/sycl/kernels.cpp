// Kernels as SYCL's compiler makes them: free functions, which libsycl-jit compiles while a program
// runs. `./x cts` has them made where the client's environment is; suites/program/sycl.rs runs them.

#include <sycl/sycl.hpp>

namespace ext = sycl::ext::oneapi;
namespace exp_ = sycl::ext::oneapi::experimental;

#define KERNEL(dimensions)                                                                         \
    extern "C" SYCL_EXTERNAL SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(                                    \
        (exp_::nd_range_kernel<dimensions>)) void

struct Line {
    float slope;
    double offset;
    char flip;
};

KERNEL(1) ids(unsigned *out) {
    auto item = ext::this_work_item::get_nd_item<1>();
    out[item.get_global_linear_id()] = item.get_global_linear_id();
}

KERNEL(3) places(unsigned *out) {
    auto item = ext::this_work_item::get_nd_item<3>();
    out[item.get_global_linear_id()] =
        item.get_global_id(0) << 16 | item.get_global_id(1) << 8 | item.get_global_id(2);
}

KERNEL(1) group_sums(const unsigned *in, unsigned *out) {
    auto item = ext::this_work_item::get_nd_item<1>();
    unsigned sum = sycl::reduce_over_group(
        item.get_group(), in[item.get_global_linear_id()], sycl::plus<unsigned>());
    out[item.get_global_linear_id()] = sum;
}

KERNEL(1) group_scans(const unsigned *in, unsigned *out) {
    auto item = ext::this_work_item::get_nd_item<1>();
    out[item.get_global_linear_id()] = sycl::inclusive_scan_over_group(
        item.get_group(), in[item.get_global_linear_id()], sycl::plus<unsigned>());
}

KERNEL(1) neighbours(const unsigned *in, unsigned *out) {
    auto item = ext::this_work_item::get_nd_item<1>();
    auto group = item.get_sub_group();
    unsigned own = in[item.get_global_linear_id()];
    out[item.get_global_linear_id()] = sycl::permute_group_by_xor(group, own, 1);
}

KERNEL(1) mirrored(const unsigned *in, unsigned *out, exp_::work_group_memory<unsigned[]> board) {
    auto item = ext::this_work_item::get_nd_item<1>();
    auto own = item.get_local_linear_id(), size = item.get_local_range(0);
    board[own] = in[item.get_global_linear_id()];
    sycl::group_barrier(item.get_group());
    out[item.get_global_linear_id()] = board[size - 1 - own];
}

KERNEL(1) counted(const unsigned *in, unsigned *out) {
    auto item = ext::this_work_item::get_nd_item<1>();
    sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::device> count(
        out[in[item.get_global_linear_id()] % 8]);
    count.fetch_add(1);
}

KERNEL(1) lines(const float *in, double *out, Line line) {
    auto item = ext::this_work_item::get_nd_item<1>();
    auto at = item.get_global_linear_id();
    double y = double(in[at]) * line.slope + line.offset;
    out[at] = line.flip ? -y : y;
}

KERNEL(1) roots(const float *in, float *out) {
    auto item = ext::this_work_item::get_nd_item<1>();
    auto at = item.get_global_linear_id();
    out[at] = sycl::sqrt(sycl::fma(in[at], in[at], 0.0f)) + sycl::floor(in[at] / 2.0f);
}
