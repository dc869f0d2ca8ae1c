//! The Unified Runtime loader: discovery, selection and dispatch
