//! `urEnqueueMemImageRead`, `urEnqueueMemImageWrite` and `urEnqueueMemImageCopy`.

use super::buffers::same_host;
use super::bytes::{Host, alike, bytes};
use super::command::{Command, Scene, Subject, Wait};
use super::common;
use super::rect::{Place, copy, offset, region};
use crate::failure::{Stop, check};
use crate::objects::{Counted, Memory};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ur};
use std::ptr::{null, null_mut};
use ur_api::*;

/// A kind of texel: its name, type of channels (four of them), and bytes.
type Format = (&'static str, ur_image_channel_type_t, usize);

const FORMATS: [Format; 3] = [
    ("rgba8", UR_IMAGE_CHANNEL_TYPE_UNORM_INT8, 4),
    ("rgba16ui", UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16, 8),
    ("rgba32f", UR_IMAGE_CHANNEL_TYPE_FLOAT, 16),
];

/// A type of image with its extents in texels.
type Kind = (&'static str, ur_mem_type_t, [usize; 3]);

const KINDS: [Kind; 5] = [
    ("1d", UR_MEM_TYPE_IMAGE1D, [40, 1, 1]),
    ("2d", UR_MEM_TYPE_IMAGE2D, [16, 12, 1]),
    ("3d", UR_MEM_TYPE_IMAGE3D, [8, 6, 5]),
    ("1d_array", UR_MEM_TYPE_IMAGE1D_ARRAY, [16, 6, 1]),
    ("2d_array", UR_MEM_TYPE_IMAGE2D_ARRAY, [8, 6, 4]),
];

const FLAT: Kind = KINDS[1];

/// Which of the three functions.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Read,
    Write,
    Copy,
}

impl Way {
    fn call(self) -> &'static str {
        match self {
            Way::Read => "urEnqueueMemImageRead",
            Way::Write => "urEnqueueMemImageWrite",
            Way::Copy => "urEnqueueMemImageCopy",
        }
    }
}

fn image(scene: &Scene, (_, kind, size): Kind, format: Format) -> Result<Memory, Stop> {
    scene.cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
    let [width, height, depth] = size;
    let layers = match kind {
        UR_MEM_TYPE_IMAGE1D_ARRAY => height,
        UR_MEM_TYPE_IMAGE2D_ARRAY => depth,
        _ => 1,
    };
    let desc = ur_image_desc_t {
        r#type: kind,
        width,
        height: if kind == UR_MEM_TYPE_IMAGE1D_ARRAY {
            1
        } else {
            height
        },
        depth: if kind == UR_MEM_TYPE_IMAGE2D_ARRAY {
            1
        } else {
            depth
        },
        arraySize: layers,
        ..Default::default()
    };
    let format = ur_image_format_t {
        channelOrder: UR_IMAGE_CHANNEL_ORDER_RGBA,
        channelType: format.1,
    };
    Memory::made("urMemImageCreate", |out| {
        let (context, flags) = (scene.context.get(), UR_MEM_FLAG_READ_WRITE.0);
        let (format, desc) = (&raw const format, &raw const desc);
        ur!(urMemImageCreate(
            context,
            flags,
            format,
            desc,
            null_mut(),
            out
        ))
    })
}

/// Reads or writes a whole image through the other queue, without gaps.
fn whole(scene: &Scene, image: &Memory, kind: Kind, way: Way, bytes: &mut [u8]) -> Outcome {
    let region = region(kind.2.map(|n| n as u64));
    let (queue, origin, at) = (scene.other.get(), offset([0; 3]), bytes.as_mut_ptr().cast());
    let image = image.get();
    let code = if way == Way::Read {
        ur!(urEnqueueMemImageRead(
            queue,
            image,
            true,
            origin,
            region,
            0,
            0,
            at,
            0,
            null(),
            null_mut()
        ))
    } else {
        ur!(urEnqueueMemImageWrite(
            queue,
            image,
            true,
            origin,
            region,
            0,
            0,
            at,
            0,
            null(),
            null_mut()
        ))
    };
    check(way.call(), UR_RESULT_SUCCESS, code)?;
    scene.other.finish()
}

/// What a call moves: where it begins on either side and how much it is, in texels; and the gaps in
/// the host's memory, in bytes behind each row and each slice.
#[derive(Clone, Copy)]
struct Part {
    name: &'static str,
    origin: [u64; 3],
    there: [u64; 3],
    region: [u64; 3],
    gaps: Option<[usize; 2]>,
}

/// A call about images of one kind and format.
struct Moving {
    way: Way,
    kind: Kind,
    texel: usize,
    part: Part,
    image: Option<Memory>,
    other: Option<Memory>,
    host: Host,
}

/// Bytes of an image of texels that no channel changes: floats are small whole numbers.
fn texels(kind: Kind, format: Format, seed: u32) -> Vec<u8> {
    let count = kind.2.iter().product::<usize>() * format.2;
    if format.1 != UR_IMAGE_CHANNEL_TYPE_FLOAT {
        return bytes(count, seed);
    }
    let floats = bytes(count / 4, seed).into_iter();
    floats.flat_map(|n| f32::from(n).to_ne_bytes()).collect()
}

impl Moving {
    fn new(
        scene: &Scene,
        way: Way,
        kind: Kind,
        format: Format,
        part: Part,
    ) -> Result<Moving, Stop> {
        let first = image(scene, kind, format)?;
        whole(
            scene,
            &first,
            kind,
            Way::Write,
            &mut texels(kind, format, 1),
        )?;
        let other = match way {
            Way::Copy => {
                let other = image(scene, kind, format)?;
                whole(
                    scene,
                    &other,
                    kind,
                    Way::Write,
                    &mut texels(kind, format, 2),
                )?;
                Some(other)
            }
            _ => None,
        };
        let mut moving = Moving {
            way,
            kind,
            texel: format.2,
            part,
            image: Some(first),
            other,
            host: Host::new(0),
        };
        let size = super::rect::area(moving.outside(), moving.bytes());
        moving.host = Host::of(&texels(
            ("", kind.1, [size.div_ceil(format.2), 1, 1]),
            format,
            2,
        ));
        Ok(moving)
    }

    /// The region in bytes, rows and slices.
    fn bytes(&self) -> [u64; 3] {
        let [width, height, depth] = self.part.region;
        [width * self.texel as u64, height, depth]
    }

    /// The region in an image.
    fn inside(&self, [x, y, z]: [u64; 3]) -> Place {
        let [width, height, _] = self.kind.2;
        let row = width * self.texel;
        Place {
            origin: [x * self.texel as u64, y, z],
            row,
            slice: row * height,
        }
    }

    /// Row and slice pitch of the host's memory, 0 for none.
    fn pitches(&self) -> [usize; 2] {
        let Some([row, slice]) = self.part.gaps else {
            return [0; 2];
        };
        let [width, height, _] = self.bytes().map(|n| n as usize);
        let flat = matches!(self.kind.1, UR_MEM_TYPE_IMAGE1D | UR_MEM_TYPE_IMAGE2D);
        let row = width + row;
        [row, if flat { 0 } else { row * height + slice * row }]
    }

    /// The region in the host's memory, which it begins.
    fn outside(&self) -> Place {
        let [row, slice] = self.pitches();
        Place {
            origin: [0; 3],
            row,
            slice,
        }
    }

    /// What the side that is written holds afterwards.
    fn wanted(&self, format: Format) -> Vec<u8> {
        let (kind, region) = (self.kind, self.bytes());
        let first = texels(kind, format, 1);
        let area = super::rect::area(self.outside(), region).div_ceil(self.texel);
        let mut host = texels(("", kind.1, [area, 1, 1]), format, 2);
        let (from, to) = (self.inside(self.part.origin), self.inside(self.part.there));
        match self.way {
            Way::Read => {
                copy(&mut host, self.outside(), &first, from, region);
                host
            }
            Way::Write => {
                let mut image = first;
                copy(&mut image, from, &host, self.outside(), region);
                image
            }
            Way::Copy => {
                let mut image = texels(kind, format, 2);
                copy(&mut image, to, &first, from, region);
                image
            }
        }
    }

    /// What the side that is written holds.
    fn found(&self, scene: &Scene) -> Result<Vec<u8>, Stop> {
        let image = match self.way {
            Way::Read => return Ok(self.host.bytes().to_vec()),
            Way::Write => &self.image,
            Way::Copy => &self.other,
        };
        let mut all = vec![0; self.kind.2.iter().product::<usize>() * self.texel];
        if let Some(image) = image {
            whole(scene, image, self.kind, Way::Read, &mut all)?;
        }
        Ok(all)
    }
}

impl Command for Moving {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        blocking: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let image = self.image.as_ref().map_or(null_mut(), Memory::get);
        let other = self.other.as_ref().map_or(null_mut(), Memory::get);
        let (origin, there) = (offset(self.part.origin), offset(self.part.there));
        let [row, slice] = self.pitches();
        let region = region(self.part.region);
        let at = self.host.at().cast();
        let (count, list) = (wait.count, wait.list);
        match self.way {
            Way::Read => ur!(urEnqueueMemImageRead(
                queue, image, blocking, origin, region, row, slice, at, count, list, event
            )),
            Way::Write => ur!(urEnqueueMemImageWrite(
                queue, image, blocking, origin, region, row, slice, at, count, list, event
            )),
            Way::Copy => ur!(urEnqueueMemImageCopy(
                queue, image, other, origin, there, region, count, list, event
            )),
        }
    }

    fn happened(&mut self, scene: &Scene) -> Result<Option<bool>, Stop> {
        Ok(Some(self.found(scene)? == self.wanted(FORMATS[0])))
    }

    fn forget(&mut self) -> Outcome {
        if self.way == Way::Write {
            return Ok(());
        }
        self.image.take().map_or(Ok(()), Memory::release)
    }
}

/// The part that cases which are the same for every function move.
const USUAL: Part = part("", [2, 3, 0], [5, 1, 0], [9, 7, 1], None);

const fn part(
    name: &'static str,
    origin: [u64; 3],
    there: [u64; 3],
    region: [u64; 3],
    gaps: Option<[usize; 2]>,
) -> Part {
    Part {
        name,
        origin,
        there,
        region,
        gaps,
    }
}

fn usual(scene: &Scene, way: Way) -> Result<Box<dyn Command>, Stop> {
    Ok(Box::new(Moving::new(scene, way, FLAT, FORMATS[0], USUAL)?))
}

const READ: Subject = Subject::new(
    "urEnqueueMemImageRead",
    UR_COMMAND_MEM_IMAGE_READ,
    |scene| usual(scene, Way::Read),
)
.blocking();
const WRITE: Subject = Subject::new(
    "urEnqueueMemImageWrite",
    UR_COMMAND_MEM_IMAGE_WRITE,
    |scene| usual(scene, Way::Write),
)
.writing();
const COPY: Subject = Subject::new(
    "urEnqueueMemImageCopy",
    UR_COMMAND_MEM_IMAGE_COPY,
    |scene| usual(scene, Way::Copy),
);

/// Parts of an image of that kind.
fn parts((_, _, size): Kind) -> Vec<Part> {
    let all = size.map(|n| n as u64);
    // One texel less at the beginning or the end where there is more than one.
    let less = all.map(|n| if n > 2 { n - 2 } else { n });
    let one = all.map(|n| u64::from(n > 2));
    let last = all.map(|n| n - 1);
    vec![
        part("all", [0; 3], [0; 3], all, None),
        part("beginning", [0; 3], one, less, None),
        part("inside", one, [0; 3], less, None),
        part("last_texel", last, [0; 3], [1; 3], None),
        part("with_gaps", one, one, less, Some([32, 2])),
    ]
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for (name, way, subject) in [
        ("mem_image_read", Way::Read, READ),
        ("mem_image_write", Way::Write, WRITE),
        ("mem_image_copy", Way::Copy, COPY),
    ] {
        let mut suite = suite.part(name);
        common::tests(&mut suite, subject);
        for kind in KINDS {
            for format in FORMATS {
                for part in parts(kind) {
                    // Where the layers of an array of rows lie apart, the API does not say.
                    let unclear = kind.1 == UR_MEM_TYPE_IMAGE1D_ARRAY || way == Way::Copy;
                    if unclear && part.gaps.is_some() {
                        continue;
                    }
                    let name = format!("{}::{}::{}", kind.0, format.0, part.name);
                    suite.device(name, move |cx| moved(cx, way, kind, format, part, false));
                }
            }
            if subject.blocks {
                let part = parts(kind)[2];
                suite.device(format!("{}::blocking", kind.0), move |cx| {
                    moved(cx, way, kind, FORMATS[0], part, true)
                });
            }
        }
        for (name, region) in [
            ("no_width", [0, 4, 1]),
            ("no_height", [4, 0, 1]),
            ("no_depth", [4, 4, 0]),
        ] {
            suite.device(format!("errors::{name}"), move |cx| {
                wrong(cx, way, [0; 3], region, UR_RESULT_ERROR_INVALID_SIZE)
            });
        }
        for (name, origin, region) in [
            ("wider_than_the_image", [0; 3], [17, 1, 1]),
            ("higher_than_the_image", [0; 3], [1, 13, 1]),
            ("x_to_beyond_the_end", [8, 0, 0], [9, 1, 1]),
            ("y_to_beyond_the_end", [0, 6, 0], [1, 7, 1]),
        ] {
            suite.device(format!("errors::{name}"), move |cx| {
                wrong(cx, way, origin, region, UR_RESULT_ERROR_INVALID_SIZE)
            });
        }
    }
}

fn moved(cx: &Cx, way: Way, kind: Kind, format: Format, part: Part, blocking: bool) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let mut moving = Moving::new(&scene, way, kind, format, part)?;
    let code = moving.enqueue(scene.queue.get(), blocking, Wait::NONE, null_mut());
    check(way.call(), UR_RESULT_SUCCESS, code)?;
    if !blocking || way == Way::Write {
        scene.queue.finish()?;
    }
    let wanted = moving.wanted(format);
    if way == Way::Read {
        return same_host(&moving.host, &wanted);
    }
    alike("image", &moving.found(&scene)?, &wanted)
}

fn wrong(cx: &Cx, way: Way, origin: [u64; 3], region: [u64; 3], wanted: ur_result_t) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let mut moving = Moving::new(&scene, way, FLAT, FORMATS[0], USUAL)?;
    // Room for whatever the call might do if it is not refused.
    moving.host = Host::new(16 * 1024);
    moving.part = part("", origin, [0; 3], region, None);
    let code = moving.enqueue(scene.queue.get(), true, Wait::NONE, null_mut());
    check(way.call(), wanted, code)?;
    Ok(())
}
