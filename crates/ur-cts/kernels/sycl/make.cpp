// Has SYCL's own compiler make the kernels of a file: `make FILE`. With SYCL_DUMP_IMAGES=1 the runtime
// writes their SPIR-V into the current folder.

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <sycl/sycl.hpp>

namespace syclex = sycl::ext::oneapi::experimental;

int main(int, char **arguments) {
    std::ifstream file(arguments[1]);
    std::string source(std::istreambuf_iterator<char>(file), {});
    std::string log;
    try {
        sycl::queue queue;
        auto kernels = syclex::create_kernel_bundle_from_source(
            queue.get_context(), syclex::source_language::sycl, source);
        syclex::build(kernels, syclex::properties{syclex::save_log{&log}});
    } catch (const sycl::exception &refused) {
        std::cerr << refused.what() << '\n' << log;
        return 1;
    }
}
