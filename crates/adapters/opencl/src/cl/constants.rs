//! OpenCL's numbers.

#![allow(
    missing_docs,
    non_upper_case_globals,
    reason = "the names of OpenCL say it"
)]

use super::types::*;

// Results.
pub const CL_SUCCESS: cl_int = 0;
pub const CL_DEVICE_NOT_FOUND: cl_int = -1;
pub const CL_DEVICE_NOT_AVAILABLE: cl_int = -2;
pub const CL_COMPILER_NOT_AVAILABLE: cl_int = -3;
pub const CL_MEM_OBJECT_ALLOCATION_FAILURE: cl_int = -4;
pub const CL_OUT_OF_RESOURCES: cl_int = -5;
pub const CL_OUT_OF_HOST_MEMORY: cl_int = -6;
pub const CL_PROFILING_INFO_NOT_AVAILABLE: cl_int = -7;
pub const CL_MEM_COPY_OVERLAP: cl_int = -8;
pub const CL_IMAGE_FORMAT_MISMATCH: cl_int = -9;
pub const CL_IMAGE_FORMAT_NOT_SUPPORTED: cl_int = -10;
pub const CL_BUILD_PROGRAM_FAILURE: cl_int = -11;
pub const CL_MAP_FAILURE: cl_int = -12;
pub const CL_MISALIGNED_SUB_BUFFER_OFFSET: cl_int = -13;
pub const CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: cl_int = -14;
pub const CL_COMPILE_PROGRAM_FAILURE: cl_int = -15;
pub const CL_LINKER_NOT_AVAILABLE: cl_int = -16;
pub const CL_LINK_PROGRAM_FAILURE: cl_int = -17;
pub const CL_DEVICE_PARTITION_FAILED: cl_int = -18;
pub const CL_KERNEL_ARG_INFO_NOT_AVAILABLE: cl_int = -19;
pub const CL_INVALID_VALUE: cl_int = -30;
pub const CL_INVALID_DEVICE_TYPE: cl_int = -31;
pub const CL_INVALID_PLATFORM: cl_int = -32;
pub const CL_INVALID_DEVICE: cl_int = -33;
pub const CL_INVALID_CONTEXT: cl_int = -34;
pub const CL_INVALID_QUEUE_PROPERTIES: cl_int = -35;
pub const CL_INVALID_COMMAND_QUEUE: cl_int = -36;
pub const CL_INVALID_HOST_PTR: cl_int = -37;
pub const CL_INVALID_MEM_OBJECT: cl_int = -38;
pub const CL_INVALID_IMAGE_FORMAT_DESCRIPTOR: cl_int = -39;
pub const CL_INVALID_IMAGE_SIZE: cl_int = -40;
pub const CL_INVALID_SAMPLER: cl_int = -41;
pub const CL_INVALID_BINARY: cl_int = -42;
pub const CL_INVALID_BUILD_OPTIONS: cl_int = -43;
pub const CL_INVALID_PROGRAM: cl_int = -44;
pub const CL_INVALID_PROGRAM_EXECUTABLE: cl_int = -45;
pub const CL_INVALID_KERNEL_NAME: cl_int = -46;
pub const CL_INVALID_KERNEL_DEFINITION: cl_int = -47;
pub const CL_INVALID_KERNEL: cl_int = -48;
pub const CL_INVALID_ARG_INDEX: cl_int = -49;
pub const CL_INVALID_ARG_VALUE: cl_int = -50;
pub const CL_INVALID_ARG_SIZE: cl_int = -51;
pub const CL_INVALID_KERNEL_ARGS: cl_int = -52;
pub const CL_INVALID_WORK_DIMENSION: cl_int = -53;
pub const CL_INVALID_WORK_GROUP_SIZE: cl_int = -54;
pub const CL_INVALID_WORK_ITEM_SIZE: cl_int = -55;
pub const CL_INVALID_GLOBAL_OFFSET: cl_int = -56;
pub const CL_INVALID_EVENT_WAIT_LIST: cl_int = -57;
pub const CL_INVALID_EVENT: cl_int = -58;
pub const CL_INVALID_OPERATION: cl_int = -59;
pub const CL_INVALID_GL_OBJECT: cl_int = -60;
pub const CL_INVALID_BUFFER_SIZE: cl_int = -61;
pub const CL_INVALID_MIP_LEVEL: cl_int = -62;
pub const CL_INVALID_GLOBAL_WORK_SIZE: cl_int = -63;
pub const CL_INVALID_PROPERTY: cl_int = -64;
pub const CL_INVALID_IMAGE_DESCRIPTOR: cl_int = -65;
pub const CL_INVALID_COMPILER_OPTIONS: cl_int = -66;
pub const CL_INVALID_LINKER_OPTIONS: cl_int = -67;
pub const CL_INVALID_DEVICE_PARTITION_COUNT: cl_int = -68;
pub const CL_INVALID_PIPE_SIZE: cl_int = -69;
pub const CL_INVALID_DEVICE_QUEUE: cl_int = -70;
pub const CL_INVALID_SPEC_ID: cl_int = -71;
pub const CL_MAX_SIZE_RESTRICTION_EXCEEDED: cl_int = -72;
pub const CL_PLATFORM_NOT_FOUND_KHR: cl_int = -1001;
pub const CL_INVALID_COMMAND_BUFFER_KHR: cl_int = -1138;
pub const CL_INVALID_SYNC_POINT_WAIT_LIST_KHR: cl_int = -1139;
pub const CL_INCOMPATIBLE_COMMAND_QUEUE_KHR: cl_int = -1140;
pub const CL_INVALID_MUTABLE_COMMAND_KHR: cl_int = -1141;

// Truth values.
pub const CL_FALSE: cl_bool = 0;
pub const CL_TRUE: cl_bool = 1;

// Platforms.
pub const CL_PLATFORM_PROFILE: cl_uint = 0x0900;
pub const CL_PLATFORM_VERSION: cl_uint = 0x0901;
pub const CL_PLATFORM_NAME: cl_uint = 0x0902;
pub const CL_PLATFORM_VENDOR: cl_uint = 0x0903;
pub const CL_PLATFORM_EXTENSIONS: cl_uint = 0x0904;

// Types of devices.
pub const CL_DEVICE_TYPE_DEFAULT: cl_bitfield = 1 << 0;
pub const CL_DEVICE_TYPE_CPU: cl_bitfield = 1 << 1;
pub const CL_DEVICE_TYPE_GPU: cl_bitfield = 1 << 2;
pub const CL_DEVICE_TYPE_ACCELERATOR: cl_bitfield = 1 << 3;
pub const CL_DEVICE_TYPE_CUSTOM: cl_bitfield = 1 << 4;
pub const CL_DEVICE_TYPE_ALL: cl_bitfield = 0xffffffff;

// Devices.
pub const CL_DEVICE_TYPE: cl_uint = 0x1000;
pub const CL_DEVICE_VENDOR_ID: cl_uint = 0x1001;
pub const CL_DEVICE_MAX_COMPUTE_UNITS: cl_uint = 0x1002;
pub const CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: cl_uint = 0x1003;
pub const CL_DEVICE_MAX_WORK_GROUP_SIZE: cl_uint = 0x1004;
pub const CL_DEVICE_MAX_WORK_ITEM_SIZES: cl_uint = 0x1005;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR: cl_uint = 0x1006;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT: cl_uint = 0x1007;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT: cl_uint = 0x1008;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG: cl_uint = 0x1009;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT: cl_uint = 0x100a;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE: cl_uint = 0x100b;
pub const CL_DEVICE_MAX_CLOCK_FREQUENCY: cl_uint = 0x100c;
pub const CL_DEVICE_ADDRESS_BITS: cl_uint = 0x100d;
pub const CL_DEVICE_MAX_READ_IMAGE_ARGS: cl_uint = 0x100e;
pub const CL_DEVICE_MAX_WRITE_IMAGE_ARGS: cl_uint = 0x100f;
pub const CL_DEVICE_MAX_MEM_ALLOC_SIZE: cl_uint = 0x1010;
pub const CL_DEVICE_IMAGE2D_MAX_WIDTH: cl_uint = 0x1011;
pub const CL_DEVICE_IMAGE2D_MAX_HEIGHT: cl_uint = 0x1012;
pub const CL_DEVICE_IMAGE3D_MAX_WIDTH: cl_uint = 0x1013;
pub const CL_DEVICE_IMAGE3D_MAX_HEIGHT: cl_uint = 0x1014;
pub const CL_DEVICE_IMAGE3D_MAX_DEPTH: cl_uint = 0x1015;
pub const CL_DEVICE_IMAGE_SUPPORT: cl_uint = 0x1016;
pub const CL_DEVICE_MAX_PARAMETER_SIZE: cl_uint = 0x1017;
pub const CL_DEVICE_MAX_SAMPLERS: cl_uint = 0x1018;
pub const CL_DEVICE_MEM_BASE_ADDR_ALIGN: cl_uint = 0x1019;
pub const CL_DEVICE_SINGLE_FP_CONFIG: cl_uint = 0x101b;
pub const CL_DEVICE_GLOBAL_MEM_CACHE_TYPE: cl_uint = 0x101c;
pub const CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: cl_uint = 0x101d;
pub const CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: cl_uint = 0x101e;
pub const CL_DEVICE_GLOBAL_MEM_SIZE: cl_uint = 0x101f;
pub const CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: cl_uint = 0x1020;
pub const CL_DEVICE_MAX_CONSTANT_ARGS: cl_uint = 0x1021;
pub const CL_DEVICE_LOCAL_MEM_TYPE: cl_uint = 0x1022;
pub const CL_DEVICE_LOCAL_MEM_SIZE: cl_uint = 0x1023;
pub const CL_DEVICE_ERROR_CORRECTION_SUPPORT: cl_uint = 0x1024;
pub const CL_DEVICE_PROFILING_TIMER_RESOLUTION: cl_uint = 0x1025;
pub const CL_DEVICE_ENDIAN_LITTLE: cl_uint = 0x1026;
pub const CL_DEVICE_AVAILABLE: cl_uint = 0x1027;
pub const CL_DEVICE_COMPILER_AVAILABLE: cl_uint = 0x1028;
pub const CL_DEVICE_EXECUTION_CAPABILITIES: cl_uint = 0x1029;
pub const CL_DEVICE_QUEUE_PROPERTIES: cl_uint = 0x102a;
pub const CL_DEVICE_NAME: cl_uint = 0x102b;
pub const CL_DEVICE_VENDOR: cl_uint = 0x102c;
pub const CL_DRIVER_VERSION: cl_uint = 0x102d;
pub const CL_DEVICE_PROFILE: cl_uint = 0x102e;
pub const CL_DEVICE_VERSION: cl_uint = 0x102f;
pub const CL_DEVICE_EXTENSIONS: cl_uint = 0x1030;
pub const CL_DEVICE_EXTENSIONS_WITH_VERSION: cl_uint = 0x1060;
pub const CL_DEVICE_PLATFORM: cl_uint = 0x1031;
pub const CL_DEVICE_DOUBLE_FP_CONFIG: cl_uint = 0x1032;
pub const CL_DEVICE_HALF_FP_CONFIG: cl_uint = 0x1033;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF: cl_uint = 0x1034;
pub const CL_DEVICE_HOST_UNIFIED_MEMORY: cl_uint = 0x1035;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR: cl_uint = 0x1036;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT: cl_uint = 0x1037;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_INT: cl_uint = 0x1038;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG: cl_uint = 0x1039;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT: cl_uint = 0x103a;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE: cl_uint = 0x103b;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF: cl_uint = 0x103c;
pub const CL_DEVICE_LINKER_AVAILABLE: cl_uint = 0x103e;
pub const CL_DEVICE_BUILT_IN_KERNELS: cl_uint = 0x103f;
pub const CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: cl_uint = 0x1040;
pub const CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: cl_uint = 0x1041;
pub const CL_DEVICE_PARENT_DEVICE: cl_uint = 0x1042;
pub const CL_DEVICE_PARTITION_MAX_SUB_DEVICES: cl_uint = 0x1043;
pub const CL_DEVICE_PARTITION_PROPERTIES: cl_uint = 0x1044;
pub const CL_DEVICE_PARTITION_AFFINITY_DOMAIN: cl_uint = 0x1045;
pub const CL_DEVICE_PARTITION_TYPE: cl_uint = 0x1046;
pub const CL_DEVICE_PREFERRED_INTEROP_USER_SYNC: cl_uint = 0x1048;
pub const CL_DEVICE_PRINTF_BUFFER_SIZE: cl_uint = 0x1049;
pub const CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS: cl_uint = 0x104c;
pub const CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES: cl_uint = 0x104e;
pub const CL_DEVICE_SVM_CAPABILITIES: cl_uint = 0x1053;
pub const CL_DEVICE_IL_VERSION: cl_uint = 0x105b;
pub const CL_DEVICE_MAX_NUM_SUB_GROUPS: cl_uint = 0x105c;
pub const CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS: cl_uint = 0x105d;
pub const CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES: cl_uint = 0x1063;
pub const CL_DEVICE_ATOMIC_FENCE_CAPABILITIES: cl_uint = 0x1064;
pub const CL_DEVICE_UUID_KHR: cl_uint = 0x106a;
pub const CL_DEVICE_PCI_BUS_INFO_KHR: cl_uint = 0x410f;
pub const CL_DEVICE_IP_VERSION_INTEL: cl_uint = 0x4250;
pub const CL_DEVICE_ID_INTEL: cl_uint = 0x4251;
pub const CL_DEVICE_NUM_SLICES_INTEL: cl_uint = 0x4252;
pub const CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL: cl_uint = 0x4253;
pub const CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL: cl_uint = 0x4254;
pub const CL_DEVICE_NUM_THREADS_PER_EU_INTEL: cl_uint = 0x4255;
pub const CL_DEVICE_SUB_GROUP_SIZES_INTEL: cl_uint = 0x4108;
pub const CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL: cl_uint = 0x4190;
pub const CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL: cl_uint = 0x4191;
pub const CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: cl_uint = 0x4192;
pub const CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: cl_uint = 0x4193;
pub const CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL: cl_uint = 0x4194;

// What a device can do with floating-point numbers.
pub const CL_FP_DENORM: cl_bitfield = 1 << 0;
pub const CL_FP_INF_NAN: cl_bitfield = 1 << 1;
pub const CL_FP_ROUND_TO_NEAREST: cl_bitfield = 1 << 2;
pub const CL_FP_ROUND_TO_ZERO: cl_bitfield = 1 << 3;
pub const CL_FP_ROUND_TO_INF: cl_bitfield = 1 << 4;
pub const CL_FP_FMA: cl_bitfield = 1 << 5;
pub const CL_FP_SOFT_FLOAT: cl_bitfield = 1 << 6;
pub const CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT: cl_bitfield = 1 << 7;

// Kinds of caches and of local memory.
pub const CL_NONE: cl_uint = 0;
pub const CL_READ_ONLY_CACHE: cl_uint = 0x1;
pub const CL_READ_WRITE_CACHE: cl_uint = 0x2;
pub const CL_LOCAL: cl_uint = 0x1;
pub const CL_GLOBAL: cl_uint = 0x2;

// What a device can run.
pub const CL_EXEC_KERNEL: cl_bitfield = 1 << 0;
pub const CL_EXEC_NATIVE_KERNEL: cl_bitfield = 1 << 1;

// What shared virtual memory can do.
pub const CL_DEVICE_SVM_COARSE_GRAIN_BUFFER: cl_bitfield = 1 << 0;
pub const CL_DEVICE_SVM_FINE_GRAIN_BUFFER: cl_bitfield = 1 << 1;
pub const CL_DEVICE_SVM_FINE_GRAIN_SYSTEM: cl_bitfield = 1 << 2;
pub const CL_DEVICE_SVM_ATOMICS: cl_bitfield = 1 << 3;

// Orders and scopes of atomics.
pub const CL_DEVICE_ATOMIC_ORDER_RELAXED: cl_bitfield = 1 << 0;
pub const CL_DEVICE_ATOMIC_ORDER_ACQ_REL: cl_bitfield = 1 << 1;
pub const CL_DEVICE_ATOMIC_ORDER_SEQ_CST: cl_bitfield = 1 << 2;
pub const CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM: cl_bitfield = 1 << 3;
pub const CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP: cl_bitfield = 1 << 4;
pub const CL_DEVICE_ATOMIC_SCOPE_DEVICE: cl_bitfield = 1 << 5;
pub const CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES: cl_bitfield = 1 << 6;

// Partitions.
pub const CL_DEVICE_PARTITION_EQUALLY: cl_properties = 0x1086;
pub const CL_DEVICE_PARTITION_BY_COUNTS: cl_properties = 0x1087;
pub const CL_DEVICE_PARTITION_BY_COUNTS_LIST_END: cl_properties = 0;
pub const CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN: cl_properties = 0x1088;

// Contexts.
pub const CL_CONTEXT_DEVICES: cl_uint = 0x1081;

// Properties of contexts.
pub const CL_CONTEXT_PLATFORM: cl_properties = 0x1084;

// Queues.
pub const CL_QUEUE_CONTEXT: cl_uint = 0x1090;
pub const CL_QUEUE_DEVICE: cl_uint = 0x1091;
pub const CL_QUEUE_PROPERTIES: cl_uint = 0x1093;
pub const CL_QUEUE_SIZE: cl_uint = 0x1094;

// Properties of queues, as keys.
pub const CL_QUEUE_PRIORITY_KHR: cl_properties64 = 0x1096;
pub const CL_QUEUE_PRIORITY_HIGH_KHR: cl_properties64 = 1 << 0;
pub const CL_QUEUE_PRIORITY_LOW_KHR: cl_properties64 = 1 << 2;

// What queues are like.
pub const CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE: cl_bitfield = 1 << 0;
pub const CL_QUEUE_PROFILING_ENABLE: cl_bitfield = 1 << 1;
pub const CL_QUEUE_ON_DEVICE: cl_bitfield = 1 << 2;
pub const CL_QUEUE_ON_DEVICE_DEFAULT: cl_bitfield = 1 << 3;

// Flags of memory objects.
pub const CL_MEM_READ_WRITE: cl_bitfield = 1 << 0;
pub const CL_MEM_WRITE_ONLY: cl_bitfield = 1 << 1;
pub const CL_MEM_READ_ONLY: cl_bitfield = 1 << 2;
pub const CL_MEM_USE_HOST_PTR: cl_bitfield = 1 << 3;
pub const CL_MEM_ALLOC_HOST_PTR: cl_bitfield = 1 << 4;
pub const CL_MEM_COPY_HOST_PTR: cl_bitfield = 1 << 5;
pub const CL_MEM_SVM_FINE_GRAIN_BUFFER: cl_bitfield = 1 << 10;
pub const CL_MEM_SVM_ATOMICS: cl_bitfield = 1 << 11;

// Flags of maps and migrations.
pub const CL_MAP_READ: cl_bitfield = 1 << 0;
pub const CL_MAP_WRITE: cl_bitfield = 1 << 1;
pub const CL_MAP_WRITE_INVALIDATE_REGION: cl_bitfield = 1 << 2;
pub const CL_MIGRATE_MEM_OBJECT_HOST: cl_bitfield = 1 << 0;
pub const CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED: cl_bitfield = 1 << 1;

// Memory objects.
pub const CL_MEM_TYPE: cl_uint = 0x1100;
pub const CL_MEM_FLAGS: cl_uint = 0x1101;
pub const CL_MEM_SIZE: cl_uint = 0x1102;
pub const CL_MEM_CONTEXT: cl_uint = 0x1106;
pub const CL_MEM_ASSOCIATED_MEMOBJECT: cl_uint = 0x1107;
pub const CL_MEM_OFFSET: cl_uint = 0x1108;
pub const CL_BUFFER_CREATE_TYPE_REGION: cl_uint = 0x1220;
pub const CL_MEM_OBJECT_BUFFER: cl_uint = 0x10f0;
pub const CL_MEM_OBJECT_IMAGE2D: cl_uint = 0x10f1;
pub const CL_MEM_OBJECT_IMAGE3D: cl_uint = 0x10f2;
pub const CL_MEM_OBJECT_IMAGE2D_ARRAY: cl_uint = 0x10f3;
pub const CL_MEM_OBJECT_IMAGE1D: cl_uint = 0x10f4;
pub const CL_MEM_OBJECT_IMAGE1D_ARRAY: cl_uint = 0x10f5;
pub const CL_MEM_OBJECT_IMAGE1D_BUFFER: cl_uint = 0x10f6;

// Images.
pub const CL_IMAGE_FORMAT: cl_uint = 0x1110;
pub const CL_IMAGE_ELEMENT_SIZE: cl_uint = 0x1111;
pub const CL_IMAGE_ROW_PITCH: cl_uint = 0x1112;
pub const CL_IMAGE_SLICE_PITCH: cl_uint = 0x1113;
pub const CL_IMAGE_WIDTH: cl_uint = 0x1114;
pub const CL_IMAGE_HEIGHT: cl_uint = 0x1115;
pub const CL_IMAGE_DEPTH: cl_uint = 0x1116;
pub const CL_IMAGE_ARRAY_SIZE: cl_uint = 0x1117;
pub const CL_IMAGE_NUM_MIP_LEVELS: cl_uint = 0x1119;
pub const CL_IMAGE_NUM_SAMPLES: cl_uint = 0x111a;

// Orders of channels.
pub const CL_R: cl_uint = 0x10b0;
pub const CL_A: cl_uint = 0x10b1;
pub const CL_RG: cl_uint = 0x10b2;
pub const CL_RA: cl_uint = 0x10b3;
pub const CL_RGB: cl_uint = 0x10b4;
pub const CL_RGBA: cl_uint = 0x10b5;
pub const CL_BGRA: cl_uint = 0x10b6;
pub const CL_ARGB: cl_uint = 0x10b7;
pub const CL_INTENSITY: cl_uint = 0x10b8;
pub const CL_LUMINANCE: cl_uint = 0x10b9;
pub const CL_Rx: cl_uint = 0x10ba;
pub const CL_RGx: cl_uint = 0x10bb;
pub const CL_RGBx: cl_uint = 0x10bc;
pub const CL_sRGBA: cl_uint = 0x10c1;
pub const CL_ABGR: cl_uint = 0x10c3;

// Types of channels.
pub const CL_SNORM_INT8: cl_uint = 0x10d0;
pub const CL_SNORM_INT16: cl_uint = 0x10d1;
pub const CL_UNORM_INT8: cl_uint = 0x10d2;
pub const CL_UNORM_INT16: cl_uint = 0x10d3;
pub const CL_UNORM_SHORT_565: cl_uint = 0x10d4;
pub const CL_UNORM_SHORT_555: cl_uint = 0x10d5;
pub const CL_UNORM_INT_101010: cl_uint = 0x10d6;
pub const CL_SIGNED_INT8: cl_uint = 0x10d7;
pub const CL_SIGNED_INT16: cl_uint = 0x10d8;
pub const CL_SIGNED_INT32: cl_uint = 0x10d9;
pub const CL_UNSIGNED_INT8: cl_uint = 0x10da;
pub const CL_UNSIGNED_INT16: cl_uint = 0x10db;
pub const CL_UNSIGNED_INT32: cl_uint = 0x10dc;
pub const CL_HALF_FLOAT: cl_uint = 0x10dd;
pub const CL_FLOAT: cl_uint = 0x10de;

// Samplers.
pub const CL_SAMPLER_CONTEXT: cl_uint = 0x1151;
pub const CL_SAMPLER_NORMALIZED_COORDS: cl_uint = 0x1152;
pub const CL_SAMPLER_ADDRESSING_MODE: cl_uint = 0x1153;
pub const CL_SAMPLER_FILTER_MODE: cl_uint = 0x1154;
pub const CL_ADDRESS_NONE: cl_uint = 0x1130;
pub const CL_ADDRESS_CLAMP_TO_EDGE: cl_uint = 0x1131;
pub const CL_ADDRESS_CLAMP: cl_uint = 0x1132;
pub const CL_ADDRESS_REPEAT: cl_uint = 0x1133;
pub const CL_ADDRESS_MIRRORED_REPEAT: cl_uint = 0x1134;
pub const CL_FILTER_NEAREST: cl_uint = 0x1140;
pub const CL_FILTER_LINEAR: cl_uint = 0x1141;

// Programs.
pub const CL_PROGRAM_CONTEXT: cl_uint = 0x1161;
pub const CL_PROGRAM_NUM_DEVICES: cl_uint = 0x1162;
pub const CL_PROGRAM_DEVICES: cl_uint = 0x1163;
pub const CL_PROGRAM_SOURCE: cl_uint = 0x1164;
pub const CL_PROGRAM_BINARY_SIZES: cl_uint = 0x1165;
pub const CL_PROGRAM_BINARIES: cl_uint = 0x1166;
pub const CL_PROGRAM_NUM_KERNELS: cl_uint = 0x1167;
pub const CL_PROGRAM_KERNEL_NAMES: cl_uint = 0x1168;
pub const CL_PROGRAM_IL: cl_uint = 0x1169;
pub const CL_PROGRAM_BUILD_STATUS: cl_uint = 0x1181;
pub const CL_PROGRAM_BUILD_OPTIONS: cl_uint = 0x1182;
pub const CL_PROGRAM_BUILD_LOG: cl_uint = 0x1183;
pub const CL_PROGRAM_BINARY_TYPE: cl_uint = 0x1184;

// Types of binaries.
pub const CL_PROGRAM_BINARY_TYPE_NONE: cl_uint = 0;
pub const CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT: cl_uint = 0x1;
pub const CL_PROGRAM_BINARY_TYPE_LIBRARY: cl_uint = 0x2;
pub const CL_PROGRAM_BINARY_TYPE_EXECUTABLE: cl_uint = 0x4;

// Statuses of builds.
pub const CL_BUILD_SUCCESS: cl_int = 0;
pub const CL_BUILD_NONE: cl_int = -1;
pub const CL_BUILD_ERROR: cl_int = -2;
pub const CL_BUILD_IN_PROGRESS: cl_int = -3;

// Kernels.
pub const CL_KERNEL_FUNCTION_NAME: cl_uint = 0x1190;
pub const CL_KERNEL_NUM_ARGS: cl_uint = 0x1191;
pub const CL_KERNEL_CONTEXT: cl_uint = 0x1193;
pub const CL_KERNEL_PROGRAM: cl_uint = 0x1194;
pub const CL_KERNEL_ATTRIBUTES: cl_uint = 0x1195;
pub const CL_KERNEL_WORK_GROUP_SIZE: cl_uint = 0x11b0;
pub const CL_KERNEL_COMPILE_WORK_GROUP_SIZE: cl_uint = 0x11b1;
pub const CL_KERNEL_LOCAL_MEM_SIZE: cl_uint = 0x11b2;
pub const CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: cl_uint = 0x11b3;
pub const CL_KERNEL_PRIVATE_MEM_SIZE: cl_uint = 0x11b4;
pub const CL_KERNEL_GLOBAL_WORK_SIZE: cl_uint = 0x11b5;
pub const CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE: cl_uint = 0x2033;
pub const CL_KERNEL_MAX_NUM_SUB_GROUPS: cl_uint = 0x11b9;
pub const CL_KERNEL_COMPILE_NUM_SUB_GROUPS: cl_uint = 0x11ba;
pub const CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: cl_uint = 0x410a;
pub const CL_KERNEL_SPILL_MEM_SIZE_INTEL: cl_uint = 0x4109;
pub const CL_KERNEL_EXEC_INFO_SVM_PTRS: cl_uint = 0x11b6;
pub const CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM: cl_uint = 0x11b7;
pub const CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL: cl_uint = 0x4200;
pub const CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL: cl_uint = 0x4201;
pub const CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL: cl_uint = 0x4202;
pub const CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL: cl_uint = 0x4203;

// Events.
pub const CL_EVENT_COMMAND_QUEUE: cl_uint = 0x11d0;
pub const CL_EVENT_COMMAND_TYPE: cl_uint = 0x11d1;
pub const CL_EVENT_COMMAND_EXECUTION_STATUS: cl_uint = 0x11d3;
pub const CL_EVENT_CONTEXT: cl_uint = 0x11d4;
pub const CL_PROFILING_COMMAND_QUEUED: cl_uint = 0x1280;
pub const CL_PROFILING_COMMAND_SUBMIT: cl_uint = 0x1281;
pub const CL_PROFILING_COMMAND_START: cl_uint = 0x1282;
pub const CL_PROFILING_COMMAND_END: cl_uint = 0x1283;
pub const CL_PROFILING_COMMAND_COMPLETE: cl_uint = 0x1284;

// How far commands are; errors are below 0.
pub const CL_COMPLETE: cl_int = 0;
pub const CL_RUNNING: cl_int = 0x1;
pub const CL_SUBMITTED: cl_int = 0x2;
pub const CL_QUEUED: cl_int = 0x3;

// Kinds of commands.
pub const CL_COMMAND_NDRANGE_KERNEL: cl_uint = 0x11f0;
pub const CL_COMMAND_READ_BUFFER: cl_uint = 0x11f3;
pub const CL_COMMAND_WRITE_BUFFER: cl_uint = 0x11f4;
pub const CL_COMMAND_COPY_BUFFER: cl_uint = 0x11f5;
pub const CL_COMMAND_READ_IMAGE: cl_uint = 0x11f6;
pub const CL_COMMAND_WRITE_IMAGE: cl_uint = 0x11f7;
pub const CL_COMMAND_COPY_IMAGE: cl_uint = 0x11f8;
pub const CL_COMMAND_MAP_BUFFER: cl_uint = 0x11fb;
pub const CL_COMMAND_UNMAP_MEM_OBJECT: cl_uint = 0x11fd;
pub const CL_COMMAND_MARKER: cl_uint = 0x11fe;
pub const CL_COMMAND_READ_BUFFER_RECT: cl_uint = 0x1201;
pub const CL_COMMAND_WRITE_BUFFER_RECT: cl_uint = 0x1202;
pub const CL_COMMAND_COPY_BUFFER_RECT: cl_uint = 0x1203;
pub const CL_COMMAND_USER: cl_uint = 0x1204;
pub const CL_COMMAND_BARRIER: cl_uint = 0x1205;
pub const CL_COMMAND_MIGRATE_MEM_OBJECTS: cl_uint = 0x1206;
pub const CL_COMMAND_FILL_BUFFER: cl_uint = 0x1207;
pub const CL_COMMAND_SVM_MEMCPY: cl_uint = 0x120a;
pub const CL_COMMAND_SVM_MEMFILL: cl_uint = 0x120b;
pub const CL_COMMAND_MEMFILL_INTEL: cl_uint = 0x4204;
pub const CL_COMMAND_MEMCPY_INTEL: cl_uint = 0x4205;
pub const CL_COMMAND_MIGRATEMEM_INTEL: cl_uint = 0x4206;
pub const CL_COMMAND_MEMADVISE_INTEL: cl_uint = 0x4207;

// Properties of allocations, as keys.
pub const CL_MEM_ALLOC_FLAGS_INTEL: cl_properties64 = 0x4195;
pub const CL_MEM_ALLOC_BUFFER_LOCATION_INTEL: cl_properties64 = 0x419e;

// Flags of allocations.
pub const CL_MEM_ALLOC_WRITE_COMBINED_INTEL: cl_bitfield = 1 << 0;
pub const CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL: cl_bitfield = 1 << 1;
pub const CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL: cl_bitfield = 1 << 2;

// Command buffers.
pub const CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR: cl_uint = 0x12a9;
pub const CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR: cl_uint = 0x129a;
pub const CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR: cl_uint = 0x12b0;
pub const CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR: cl_uint = 0;

// Properties of command buffers and their commands, as keys.
pub const CL_COMMAND_BUFFER_FLAGS_KHR: cl_properties64 = 0x1293;
pub const CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR: cl_properties64 = 0x12b1;

// What command buffers can do and are like.
pub const CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR: cl_bitfield = 1 << 2;
pub const CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR: cl_bitfield = 1 << 0;
pub const CL_COMMAND_BUFFER_MUTABLE_KHR: cl_bitfield = 1 << 1;
pub const CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR: cl_bitfield = 1 << 0;
pub const CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR: cl_bitfield = 1 << 1;
pub const CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR: cl_bitfield = 1 << 2;
pub const CL_MUTABLE_DISPATCH_ARGUMENTS_KHR: cl_bitfield = 1 << 3;

// Allocations.
pub const CL_MEM_ALLOC_TYPE_INTEL: cl_uint = 0x419a;
pub const CL_MEM_ALLOC_BASE_PTR_INTEL: cl_uint = 0x419b;
pub const CL_MEM_ALLOC_SIZE_INTEL: cl_uint = 0x419c;
pub const CL_MEM_ALLOC_DEVICE_INTEL: cl_uint = 0x419d;
pub const CL_MEM_TYPE_UNKNOWN_INTEL: cl_uint = 0x4196;
pub const CL_MEM_TYPE_HOST_INTEL: cl_uint = 0x4197;
pub const CL_MEM_TYPE_DEVICE_INTEL: cl_uint = 0x4198;
pub const CL_MEM_TYPE_SHARED_INTEL: cl_uint = 0x4199;
