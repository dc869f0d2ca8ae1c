//! The Unified Runtime API as data, and everything rendered from it
