//! A signal inside of a plug-in, or its `exit`: the process prints which plug-in, event, flow and instant it
//! was, then dies as it would have, and of `exit` with an exit code that is no success.
//!
//! Handlers are there only while a simulation with plug-ins advances. They use nothing that a signal handler
//! must not use: a buffer on the stack, integers as digits, `write`.
//!
//! A function that does not return would keep Ctrl-C and SIGTERM waiting for ever: if the call of their
//! instant still lasts [`PATIENCE`] seconds later, the process prints the call and ends by that signal.

#![allow(unsafe_code)]

use mesonet_cc::plugin::{self, Call};
use std::cell::{Cell, UnsafeCell};
use std::fmt::{self, Write};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// Signals that end a process because of what its code did; C++ exceptions that leave a function end in
/// SIGABRT.
const FAULTS: [libc::c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT];

/// All that are handled.
const SIGNALS: [libc::c_int; 8] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGABRT,
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGALRM,
];

/// Time that a call may last after a signal to end, s (chosen): far above any call, short for a person who
/// waits.
const PATIENCE: libc::c_uint = 1;

/// Exit code of a process that a plug-in ends by `exit`.
const EXIT_CODE: libc::c_int = 1;

/// File of the plug-in that is loaded now.
static LOADING: Mutex<Option<String>> = Mutex::new(None);

/// Names the file of a plug-in as long as it is loaded. From the first one on, a plug-in that ends the
/// process by `exit`, whose exit code could be 0, is printed.
pub fn loading(file: Option<String>) {
    static ONCE: Once = Once::new();
    // SAFETY: a function that lives to the end of the process.
    ONCE.call_once(|| unsafe {
        libc::atexit(exits);
    });
    *LOADING.lock().unwrap_or_else(PoisonError::into_inner) = file;
}

extern "C" fn exits() {
    if let Some(call) = plugin::present() {
        Line::print(&call, "exit", "it ended the process");
    } else if let Some(file) = LOADING.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
        eprintln!("mesonet: plug-in {file}: exit: it ended the process while it was loaded");
    } else {
        return;
    }
    // SAFETY: ends the process without the rest of its exit.
    unsafe { libc::_exit(EXIT_CODE) };
}

/// Simulations that advance now.
static USERS: Mutex<usize> = Mutex::new(0);

/// Handlers that were there before.
struct Former(UnsafeCell<[MaybeUninit<libc::sigaction>; SIGNALS.len()]>);

// SAFETY: written while there is no user of the handlers and `USERS` is locked.
unsafe impl Sync for Former {}

static FORMER: Former = Former(UnsafeCell::new([MaybeUninit::uninit(); SIGNALS.len()]));

impl Former {
    /// Installs the handler there was for the signal at a place of the list.
    ///
    /// # Safety
    /// There are users of the handlers.
    unsafe fn restore(&self, place: usize) {
        // SAFETY: it was written before the first user came.
        unsafe { libc::sigaction(SIGNALS[place], (*self.0.get())[place].as_ptr(), std::ptr::null_mut()) };
    }
}

/// Bytes of the stack on which handlers of this thread run, so that they also run after an endless recursion.
const STACK: usize = 1 << 16;

/// The handlers, as long as this lives.
pub struct Watch {
    stack: Option<Box<[u8]>>,
}

impl Watch {
    /// Installs the handlers, and a stack for them in this thread if it has none.
    pub fn new() -> Self {
        let mut users = lock();
        if *users == 0 {
            for (place, number) in SIGNALS.iter().enumerate() {
                // SAFETY: a handler for a signal that exists, and a place for what was there, which no one
                // reads now.
                unsafe {
                    let mut action: libc::sigaction = std::mem::zeroed();
                    let handler = if FAULTS.contains(number) { fault } else { end };
                    action.sa_sigaction = handler as extern "C" fn(libc::c_int) as usize;
                    action.sa_flags = libc::SA_ONSTACK;
                    libc::sigemptyset(&raw mut action.sa_mask);
                    libc::sigaction(*number, &raw const action, (*FORMER.0.get())[place].as_mut_ptr());
                }
            }
        }
        *users += 1;
        Self { stack: own_stack() }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.stack.is_some() {
            // SAFETY: gives up the stack that this thread got.
            unsafe {
                let mut none: libc::stack_t = std::mem::zeroed();
                none.ss_flags = libc::SS_DISABLE;
                libc::sigaltstack(&raw const none, std::ptr::null_mut());
            }
        }
        let mut users = lock();
        if *users == 1 {
            // SAFETY: this is a user.
            (0..SIGNALS.len()).for_each(|place| unsafe { FORMER.restore(place) });
        }
        *users -= 1;
    }
}

fn lock() -> MutexGuard<'static, usize> {
    USERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A stack for handlers of this thread, unless it has one.
fn own_stack() -> Option<Box<[u8]>> {
    // SAFETY: asks for the present stack, then gives memory that outlives its use.
    unsafe {
        let mut present: libc::stack_t = std::mem::zeroed();
        libc::sigaltstack(std::ptr::null(), &raw mut present);
        if present.ss_flags & libc::SS_DISABLE == 0 {
            return None;
        }
        let mut memory = vec![0_u8; STACK].into_boxed_slice();
        let stack = libc::stack_t { ss_sp: memory.as_mut_ptr().cast(), ss_flags: 0, ss_size: STACK };
        libc::sigaltstack(&raw const stack, std::ptr::null_mut());
        Some(memory)
    }
}

/// Text on the stack; what does not fit is left out.
struct Line {
    bytes: [u8; 400],
    length: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.len() - self.length;
        let fits = text.len().min(room);
        self.bytes[self.length..self.length + fits].copy_from_slice(&text.as_bytes()[..fits]);
        self.length += fits;
        Ok(())
    }
}

impl Line {
    /// Prints a call and what is to be said about it.
    fn print(call: &Call, name: &str, meaning: &str) {
        let mut line = Self { bytes: [0; 400], length: 0 };
        let _ = writeln!(line, "mesonet: {call}: {name}: {meaning}");
        // SAFETY: bytes of the stack; `write` may be called from a handler.
        unsafe { libc::write(libc::STDERR_FILENO, line.bytes.as_ptr().cast(), line.length) };
    }
}

extern "C" fn fault(number: libc::c_int) {
    if let Some(call) = plugin::present() {
        let (name, meaning) = match number {
            libc::SIGSEGV => ("SIGSEGV", "memory that is not the plug-in's, or a recursion without end"),
            libc::SIGBUS => ("SIGBUS", "memory that is not there"),
            libc::SIGFPE => ("SIGFPE", "arithmetic such as an integer divided by 0"),
            libc::SIGILL => ("SIGILL", "no instruction"),
            _ => ("SIGABRT", "abort, such as for a C++ exception that leaves a function"),
        };
        Line::print(&call, name, meaning);
    }
    pass_on(number);
}

thread_local! {
    /// The call of the instant of a signal to end.
    static ENDING: Cell<Option<Call>> = const { Cell::new(None) };
}

/// Gives a signal to the first thread of the process, unless this is it: the kernel may choose any thread,
/// and the first one is in no list of calls.
fn hands_to_first_thread(number: libc::c_int) -> bool {
    // SAFETY: calls that a handler may make; the first thread has the number of the process.
    #[cfg(target_os = "linux")]
    unsafe {
        let process = libc::getpid();
        libc::syscall(libc::SYS_gettid) != libc::c_long::from(process)
            && libc::syscall(libc::SYS_tgkill, process, process, number) == 0
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = number;
        false
    }
}

/// The signal to end that came; 0 for none.
static ENDING_BY: AtomicI32 = AtomicI32::new(0);

extern "C" fn end(number: libc::c_int) {
    if hands_to_first_thread(number) {
        return;
    }
    if number == libc::SIGALRM {
        let by = ENDING_BY.swap(0, Ordering::AcqRel);
        if by != 0 {
            let own = ENDING.take().and_then(|before| plugin::present().filter(|call| call.is(&before)));
            if let Some(call) = own.or_else(plugin::marked) {
                Line::print(&call, "no end", "the function does not return");
                // SAFETY: the default for a signal that exists.
                unsafe {
                    libc::signal(by, libc::SIG_DFL);
                    libc::raise(by);
                }
            }
            return;
        }
    } else {
        ENDING.set(plugin::present());
        // Both count: this thread and the others are in calls of their own.
        if plugin::mark() | ENDING.get().is_some() {
            if number == libc::SIGTERM {
                if let Some(call) = ENDING.get().or_else(plugin::marked) {
                    Line::print(&call, "SIGTERM", "the function was running");
                }
            }
            ENDING_BY.store(number, Ordering::Release);
            // SAFETY: may be called from a handler.
            unsafe { libc::alarm(PATIENCE) };
        }
    }
    pass_on(number);
}

/// Hands a signal to the handler that was there before.
fn pass_on(number: libc::c_int) {
    let Some(place) = SIGNALS.iter().position(|known| *known == number) else { return };
    // SAFETY: handlers are there only while there are users, and what they replaced was written before.
    unsafe {
        let former = &*(*FORMER.0.get())[place].as_ptr();
        let handler = former.sa_sigaction;
        let stays = !FAULTS.contains(&number) && former.sa_flags & libc::SA_SIGINFO == 0;
        if stays && handler != libc::SIG_DFL {
            if handler != libc::SIG_IGN {
                std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(handler)(number);
            }
            return;
        }
        // It gets the signal when this handler returns.
        FORMER.restore(place);
        libc::raise(number);
    }
}
