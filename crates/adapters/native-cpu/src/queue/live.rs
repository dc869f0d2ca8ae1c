//! The work of a device in all queues, for waiting until it has ended.

use crate::command::Command;
use crate::device::Device;
use crate::fork::Mutex;
use crate::order::Order;
use crate::{NativeCpu, pool};
use std::sync::{Arc, Weak};
use ur_adapter::{DeviceExpFns, Error, Object, Result};

/// Where work of a device may be.
enum Place {
    /// In a queue.
    Queue(Weak<Order>),
    /// In a queue that is gone: its last command.
    Left(Arc<Command>),
}

/// Work of a device and of those that it is a part of, which are named by their addresses and not
/// counted: this list owns nothing. An address that a later sub-device has again only makes that one
/// wait for more.
struct Entry {
    devices: Vec<usize>,
    place: Place,
}

impl Entry {
    fn new(device: &Device, place: Place) -> Entry {
        Entry {
            devices: device.line().map(address).collect(),
            place,
        }
    }
}

fn address(device: &Device) -> usize {
    std::ptr::from_ref(device) as usize
}

static PLACES: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

/// Whether a queue is gone, or what was left of one has ended.
fn is_over(place: &Place) -> bool {
    match place {
        Place::Queue(order) => order.strong_count() == 0,
        Place::Left(command) => command.is_finished(),
    }
}

/// Takes what is over out of the list; to be dropped without the lock.
fn prune(places: &mut Vec<Entry>) -> Vec<Entry> {
    places
        .extract_if(.., |entry| is_over(&entry.place))
        .collect()
}

/// Notes a new queue.
pub fn add(device: &Device, order: &Arc<Order>) {
    crate::fork::watch();
    let entry = Entry::new(device, Place::Queue(Arc::downgrade(order)));
    let over = {
        let mut places = PLACES.lock();
        places.push(entry);
        prune(&mut places)
    };
    drop(over);
}

/// Notes that a queue is going, and what it leaves.
pub fn remove(device: &Device, order: &Arc<Order>) {
    let left = if order.is_empty() { None } else { order.tail() };
    let left = left.map(|command| Entry::new(device, Place::Left(command)));
    let own = Arc::as_ptr(order);
    let over = {
        let mut places = PLACES.lock();
        places.extend(left);
        places
            .extract_if(.., |entry| match &entry.place {
                Place::Queue(order) => order.as_ptr() == own,
                Place::Left(command) => command.is_finished(),
            })
            .collect::<Vec<_>>()
    };
    drop(over);
}

impl DeviceExpFns for NativeCpu {
    fn device_wait_exp(device: &Object<Device>) -> Result {
        let waited: Vec<Arc<Order>>;
        let mut commands: Vec<Arc<Command>> = Vec::new();
        {
            let mut orders = Vec::new();
            for entry in PLACES.lock().iter() {
                if !entry.devices.contains(&address(device)) {
                    continue;
                }
                match &entry.place {
                    Place::Queue(order) => orders.extend(order.upgrade()),
                    Place::Left(command) => commands.push(command.clone()),
                }
            }
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
