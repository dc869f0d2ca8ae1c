//! FFI types, dispatch tables and printing of the Unified Runtime API (generated)
