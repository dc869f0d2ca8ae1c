//! Layers, on an adapter whose functions count and succeed.

mod adapter;
mod generated {
    pub mod calls;
}
mod lifetimes;
mod own;
mod parameters;
