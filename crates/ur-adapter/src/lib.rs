//! The kit that adapters are built from: objects, tables, info queries, errors
