//! Devices that reach each other's memory.

use crate::failure::Stop;
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, refused, same, ur};
use std::ptr::null_mut;
use ur_api::*;

const QUERIES: [(&str, ur_exp_peer_info_t); 2] = [
    ("access", UR_EXP_PEER_INFO_UR_PEER_ACCESS_SUPPORT),
    ("atomics", UR_EXP_PEER_INFO_UR_PEER_ATOMICS_SUPPORT),
];

fn ask(
    one: ur_device_handle_t,
    other: ur_device_handle_t,
    query: ur_exp_peer_info_t,
) -> Result<i32, Stop> {
    crate::info::value("urUsmP2PPeerAccessGetInfoExp", |size, value, out| {
        ur!(urUsmP2PPeerAccessGetInfoExp(
            one, other, query, size, value, out
        ))
    })
}

/// The device and each of its platform.
fn pairs(cx: &Cx) -> Vec<(ur_device_handle_t, ur_device_handle_t)> {
    let own = cx.device();
    cx.devices().iter().map(|other| (own, *other)).collect()
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for (name, query) in QUERIES {
        suite.device(format!("get_info::{name}_is_a_truth_value"), move |cx| {
            cx.needs(UR_DEVICE_INFO_USM_P2P_SUPPORT_EXP)?;
            for (one, other) in pairs(cx) {
                let told = ask(one, other, query)?;
                ensure!(told == 0 || told == 1, "{told}");
                same!("asked again", ask(one, other, query)?, told);
            }
            Ok(())
        });
        suite.device(format!("get_info::{name}_short_buffer"), move |cx| {
            cx.needs(UR_DEVICE_INFO_USM_P2P_SUPPORT_EXP)?;
            let mut value = [0x55u8; 8];
            refused!(
                UR_RESULT_ERROR_INVALID_SIZE,
                urUsmP2PPeerAccessGetInfoExp(
                    cx.device(),
                    cx.device(),
                    query,
                    3,
                    value.as_mut_ptr().cast(),
                    null_mut()
                )
            )?;
            same!("the place", value, [0x55; 8]);
            Ok(())
        });
    }
    suite.device("get_info::unknown_query", |cx| {
        cx.needs(UR_DEVICE_INFO_USM_P2P_SUPPORT_EXP)?;
        let mut size = 0;
        refused!(
            [
                UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
                UR_RESULT_ERROR_INVALID_ENUMERATION
            ],
            urUsmP2PPeerAccessGetInfoExp(
                cx.device(),
                cx.device(),
                ur_exp_peer_info_t(0x7fff_fff0),
                0,
                null_mut(),
                &raw mut size
            )
        )?;
        Ok(())
    });
    for times in [1, 3] {
        suite.device(format!("enable_and_disable::{times}_times"), move |cx| {
            cx.needs(UR_DEVICE_INFO_USM_P2P_SUPPORT_EXP)?;
            for (one, other) in pairs(cx) {
                if ask(one, other, UR_EXP_PEER_INFO_UR_PEER_ACCESS_SUPPORT)? == 0 {
                    continue;
                }
                for _ in 0..times {
                    ok!(urUsmP2PEnablePeerAccessExp(one, other))?;
                    ok!(urUsmP2PDisablePeerAccessExp(one, other))?;
                }
            }
            Ok(())
        });
    }
    suite.device("enable::copies_between_devices", copies);
}

/// A copy from the memory of one device to that of another that it may reach.
fn copies(cx: &Cx) -> Outcome {
    use crate::objects::{Context, Queue, Usm, UsmKind};
    cx.needs(UR_DEVICE_INFO_USM_P2P_SUPPORT_EXP)?;
    for (one, other) in pairs(cx) {
        if one == other || ask(one, other, UR_EXP_PEER_INFO_UR_PEER_ACCESS_SUPPORT)? == 0 {
            continue;
        }
        ok!(urUsmP2PEnablePeerAccessExp(one, other))?;
        {
            let context = Context::new(&[one, other])?;
            let queue = Queue::new(&context, one, 0)?;
            let own = Usm::new(cx, &context, UsmKind::Device, 4096)?;
            let mut at = null_mut();
            ok!(urUSMDeviceAlloc(
                context.get(),
                other,
                std::ptr::null(),
                null_mut(),
                4096,
                &raw mut at
            ))?;
            let peer = Usm::adopt(&context, at, 4096);
            queue.put(own.at, &[0x42; 4096])?;
            queue.copy(peer.at, own.at, 4096, &[])?.wait()?;
            let found = queue.fetch(peer.at, 4096)?;
            ensure!(found.iter().all(|b| *b == 0x42), "the copy differs");
        }
        ok!(urUsmP2PDisablePeerAccessExp(one, other))?;
    }
    Ok(())
}
