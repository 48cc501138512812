//! A clock to be preloaded: the monotonic clocks answer with the calling thread's CPU time.
//!
//! Two programs that share a core then measure what each of them used of it, whatever the other one
//! did meanwhile. The file stands alone: it is compiled by the build script of `bench-process` into
//! a library without any dependency, which is carried in the binary.
//!
//! Other clocks are passed on. Nothing here allocates, panics or keeps state.
#![no_std]

use core::ffi::{c_char, c_int, c_long};

const CLOCK_MONOTONIC: c_int = 1;
const CLOCK_THREAD_CPUTIME_ID: c_int = 3;
const CLOCK_MONOTONIC_RAW: c_int = 4;
const CLOCK_MONOTONIC_COARSE: c_int = 6;
const CLOCK_BOOTTIME: c_int = 7;

/// Seconds and nanoseconds, as every 64-bit Linux has them.
#[repr(C)]
pub struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

unsafe extern "C" {
    // glibc's and musl's.
    fn __errno_location() -> *mut c_int;
}

/// Takes the place of the C library's function of this name.
///
/// # Safety
/// As that function: `time` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int {
    let clock = match clock {
        CLOCK_MONOTONIC | CLOCK_MONOTONIC_RAW | CLOCK_MONOTONIC_COARSE | CLOCK_BOOTTIME => {
            CLOCK_THREAD_CPUTIME_ID
        }
        other => other,
    };
    // SAFETY: the kernel checks both arguments itself.
    let result = unsafe { system_clock_gettime(clock, time) };
    if result == 0 {
        return 0;
    }
    // SAFETY: the C library gives the place of the calling thread's own errno.
    unsafe { *__errno_location() = -result as c_int };
    -1
}

#[cfg(target_arch = "x86_64")]
unsafe fn system_clock_gettime(clock: c_int, time: *mut Timespec) -> c_long {
    const CLOCK_GETTIME: c_long = 228;
    let result;
    // SAFETY: a system call that writes to `time` and changes nothing but the named registers.
    unsafe {
        core::arch::asm!(
            "syscall",
            inlateout("rax") CLOCK_GETTIME => result,
            in("rdi") c_long::from(clock),
            in("rsi") time,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

#[cfg(target_arch = "aarch64")]
unsafe fn system_clock_gettime(clock: c_int, time: *mut Timespec) -> c_long {
    const CLOCK_GETTIME: c_long = 113;
    let result;
    // SAFETY: a system call that writes to `time` and changes nothing but the named registers.
    unsafe {
        core::arch::asm!(
            "svc 0",
            in("x8") CLOCK_GETTIME,
            inlateout("x0") c_long::from(clock) => result,
            in("x1") time,
            options(nostack),
        );
    }
    result
}

/// Run when the library is loaded, before the program is: programs started by this one are not
/// meant.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: unsafe extern "C" fn(c_int, *const *const c_char, *mut *mut c_char) = leave;

/// Takes this library, always the first of the list, out of `LD_PRELOAD`.
unsafe extern "C" fn leave(_: c_int, _: *const *const c_char, variables: *mut *mut c_char) {
    const NAME: &[u8] = b"LD_PRELOAD=";
    let mut at = variables;
    // SAFETY: `variables` is a null-terminated array of null-terminated strings, which the program
    // owns and may change; everything below stays within them.
    unsafe {
        if at.is_null() {
            return;
        }
        while !(*at).is_null() && !starts_with(*at, NAME) {
            at = at.add(1);
        }
        if (*at).is_null() {
            return;
        }
        let value = (*at).add(NAME.len());
        match after_first(value) {
            Some(rest) => move_down(rest, value),
            None => remove(at),
        }
    }
}

unsafe fn starts_with(text: *const c_char, wanted: &[u8]) -> bool {
    // SAFETY: the comparison ends at the first difference, so no later than the text's null.
    (0..wanted.len()).all(|index| unsafe { *text.add(index) } as u8 == wanted[index])
}

/// What follows the first entry of a list, where anything does.
unsafe fn after_first(mut list: *mut c_char) -> Option<*mut c_char> {
    // SAFETY: ends at the list's null.
    unsafe {
        while *list != 0 {
            if *list as u8 == b':' {
                return Some(list.add(1));
            }
            list = list.add(1);
        }
    }
    None
}

unsafe fn move_down(mut from: *const c_char, mut to: *mut c_char) {
    // SAFETY: `to` is before `from` in the same string.
    unsafe {
        while *from != 0 {
            to.write_volatile(*from);
            from = from.add(1);
            to = to.add(1);
        }
        to.write_volatile(0);
    }
}

unsafe fn remove(mut at: *mut *mut c_char) {
    // SAFETY: `at` points into an array that ends with a null.
    unsafe {
        while !(*at).is_null() {
            at.write_volatile(*at.add(1));
            at = at.add(1);
        }
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
