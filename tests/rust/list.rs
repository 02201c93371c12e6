// A linked list on the collector, from Rust: handles, the write barrier, and objects that move.
// usage: list LENGTH
// SPGC_BINDINGS names what bindgen made of the headers.

use std::ffi::c_void;
use std::mem::{size_of, zeroed};

#[allow(dead_code, non_camel_case_types, non_upper_case_globals, non_snake_case)]
#[allow(clippy::all)]
mod spgc {
    include!(env!("SPGC_BINDINGS"));
}
use spgc::*;

#[repr(C)]
struct Cell {
    header: *const spgc_type,
    next: spgc_ref,
    number: u64,
}
const NEXT: usize = 8;

struct Descriptor(spgc_type);
unsafe impl Sync for Descriptor {} // it is constant

static REFERENCES: [u32; 1] = [NEXT as u32];
static CELL: Descriptor = Descriptor(spgc_type {
    size: size_of::<Cell>() as u32,
    element_size: 0,
    flags: 0,
    reference_count: 1,
    reference_offsets: &REFERENCES as *const u32,
    element_reference_count: 0,
    field_names: 0,
    element_reference_offsets: std::ptr::null(),
    name: b"cell\0" as *const u8 as *const std::os::raw::c_char,
});

struct Scope(spgc_scope);

impl Scope {
    fn open() -> Scope {
        Scope(unsafe { spgc_scope_open() })
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        unsafe { spgc_scope_close(self.0) }
    }
}

/// A handle of the scope that it borrows.
struct Handle<'scope> {
    handle: spgc_handle,
    _scope: std::marker::PhantomData<&'scope Scope>,
}

impl<'scope> Handle<'scope> {
    fn new(_scope: &'scope Scope, object: spgc_ref) -> Handle<'scope> {
        let handle = unsafe { spgc_handle_make(object) };
        Handle { handle, _scope: std::marker::PhantomData }
    }

    fn get(&self) -> spgc_ref {
        unsafe { spgc_handle_get(self.handle) }
    }

    fn set(&self, object: spgc_ref) {
        unsafe { spgc_handle_set(self.handle, object) }
    }

    fn is_null(&self) -> bool {
        unsafe { spgc_ref_is_null(self.get()) }
    }

    fn number(&self) -> u64 {
        unsafe { (*(spgc_ref_memory(self.get()) as *const Cell)).number }
    }

    fn next(&self) -> spgc_ref {
        unsafe { spgc_slot_load(self.next_slot()) }
    }

    fn set_next(&self, next: spgc_ref) {
        unsafe { spgc_store(self.next_slot(), next) }
    }

    /// Stale after the next safepoint.
    unsafe fn next_slot(&self) -> spgc_slot {
        spgc_slot_at((spgc_ref_memory(self.get()) as *mut u8).add(NEXT) as *mut c_void)
    }
}

/// The new cell is stale after the next safepoint.
fn cons(number: u64, rest: spgc_ref) -> spgc_ref {
    let scope = Scope::open();
    let rest = Handle::new(&scope, rest);
    let made = Handle::new(&scope, unsafe { spgc_allocate(&CELL.0) });
    assert!(!made.is_null(), "memory is exhausted");
    unsafe { (*(spgc_ref_memory(made.get()) as *mut Cell)).number = number };
    made.set_next(rest.get());
    made.get()
}

/// Reverses in place: stores references into old objects.
fn reverse(list: spgc_ref) -> spgc_ref {
    let scope = Scope::open();
    let rest = Handle::new(&scope, list);
    let reversed = Handle::new(&scope, unsafe { spgc_ref_null() });
    let next = Handle::new(&scope, unsafe { spgc_ref_null() });
    while !rest.is_null() {
        next.set(rest.next());
        rest.set_next(reversed.get());
        reversed.set(rest.get());
        rest.set(next.get());
        cons(0, rest.get()); // garbage, and a safepoint
    }
    reversed.get()
}

/// The sum of rank times number, which tells the order, too.
fn weighed_sum(list: spgc_ref) -> u64 {
    let scope = Scope::open();
    let at = Handle::new(&scope, list);
    let (mut sum, mut rank) = (0, 1);
    while !at.is_null() {
        sum += rank * at.number();
        rank += 1;
        at.set(at.next());
    }
    sum
}

fn statistics() -> spgc_statistics {
    let mut statistics: spgc_statistics = unsafe { zeroed() };
    statistics.size = size_of::<spgc_statistics>() as _;
    unsafe { spgc_statistics_fill(&mut statistics) };
    statistics
}

extern "C" fn program(argument: *mut c_void) {
    let length = unsafe { *(argument as *const u64) };
    let scope = Scope::open();
    let list = Handle::new(&scope, unsafe { spgc_ref_null() });
    for number in 1..=length {
        list.set(cons(number, list.get()));
    }
    let (first, hash) = (list.number(), unsafe { spgc_identity_hash(list.get()) });
    unsafe { spgc_collect(spgc_collection_SPGC_COLLECTION_MINOR) };
    assert_eq!((list.number(), unsafe { spgc_identity_hash(list.get()) }), (first, hash));
    let kept = unsafe { spgc_global_handle_make(list.get()) };
    list.set(reverse(list.get()));
    let expected: u64 = (1..=length).map(|number| number * number).sum();
    assert_eq!(weighed_sum(list.get()), expected);
    unsafe {
        assert_eq!((*(spgc_ref_memory(spgc_handle_get(kept)) as *const Cell)).number, length);
        spgc_global_handle_release(kept);
        let mut error: spgc_error = zeroed();
        assert_eq!(spgc_heap_verify(&mut error), spgc_result_SPGC_OK, "the heap is broken");
    }
    let moved = statistics().moved_objects;
    assert!(moved >= length, "{} objects moved", moved);
    println!("{} objects moved", moved);
}

fn main() {
    let mut length: u64 = std::env::args().nth(1).expect("usage: list LENGTH").parse().unwrap();
    let mut error: spgc_error = unsafe { zeroed() };
    let argument = &mut length as *mut u64 as *mut c_void;
    let result = unsafe { spgc_main(std::ptr::null(), Some(program), argument, &mut error) };
    assert_eq!(result, spgc_result_SPGC_OK);
    let version = unsafe { std::ffi::CStr::from_ptr((*spgc_version()).text) };
    println!("libspgc {}", version.to_str().unwrap());
}
