//! The mock adapter: fake platforms and devices, any entry point replaceable by a callback
