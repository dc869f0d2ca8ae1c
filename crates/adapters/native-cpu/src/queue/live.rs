//! The work of a device in all queues, for waiting until it has ended.

use crate::command::Command;
use crate::device::Device;
use crate::order::Order;
use crate::usm::registry::Guarded;
use crate::{NativeCpu, pool};
use std::sync::{Arc, Weak};
use ur_adapter::{DeviceExpFns, Error, Handle, Object, Result};

/// Where work of a device may be.
enum Place {
    /// In a queue.
    Queue(Weak<Order>),
    /// In a queue that is gone: its last command.
    Left(Arc<Command>),
}

/// The places of all devices. It is not a queue's second life: what is in it counts nothing.
static PLACES: Guarded<Vec<(Handle<Device>, Place)>> = Guarded::new(Vec::new());

/// Whether a queue is gone, or what was left of one has ended.
fn is_over(place: &Place) -> bool {
    match place {
        Place::Queue(order) => order.strong_count() == 0,
        Place::Left(command) => command.is_finished(),
    }
}

/// Takes what is over out of the list; to be dropped without the lock.
fn prune(places: &mut Vec<(Handle<Device>, Place)>) -> Vec<(Handle<Device>, Place)> {
    places.extract_if(.., |(_, place)| is_over(place)).collect()
}

/// Notes a new queue.
pub fn add(device: &Object<Device>, order: &Arc<Order>) {
    crate::fork::watch();
    let entry = (device.handle(), Place::Queue(Arc::downgrade(order)));
    let over = PLACES.with(|places| {
        places.push(entry);
        prune(places)
    });
    drop(over);
}

/// Notes that a queue is going, and what it leaves.
pub fn remove(device: &Object<Device>, order: &Arc<Order>) {
    let left = if order.is_empty() { None } else { order.tail() };
    let left = left.map(|command| (device.handle(), Place::Left(command)));
    let own = Arc::as_ptr(order);
    let over = PLACES.with(|places| {
        places.extend(left);
        places
            .extract_if(.., |(_, place)| match place {
                Place::Queue(order) => order.as_ptr() == own,
                Place::Left(command) => command.is_finished(),
            })
            .collect::<Vec<_>>()
    });
    drop(over);
}

impl DeviceExpFns for NativeCpu {
    fn device_wait_exp(device: &Object<Device>) -> Result {
        let waited: Vec<Arc<Order>>;
        let mut commands: Vec<Arc<Command>> = Vec::new();
        {
            let mut orders = Vec::new();
            PLACES.with(|places| {
                for (own, place) in places.iter() {
                    if !own.is_part_of(device) {
                        continue;
                    }
                    match place {
                        Place::Queue(order) => orders.extend(order.upgrade()),
                        Place::Left(command) => commands.push(command.clone()),
                    }
                }
            });
            waited = orders;
        }
        commands.extend(waited.iter().filter_map(|order| order.tail()));
        let pool = pool::get();
        for command in &commands {
            pool.wait(command);
        }
        let outcome = commands.iter().try_for_each(|command| command.outcome());
        outcome.map_err(Error::code)
    }
}
