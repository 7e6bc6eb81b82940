//! The calls to the operating system that can fail, and how.
#![allow(non_upper_case_globals, reason = "the names of calls as libc has them")]

use std::fmt;

use nix::errno::Errno::{self, EACCES, EAGAIN, EINTR, EIO, EMFILE, ENOSPC, EPERM};
use nix::libc::{
    SYS_chmod, SYS_clone, SYS_clone3, SYS_fchmod, SYS_fdatasync, SYS_fstat, SYS_fsync,
    SYS_ftruncate, SYS_getdents64, SYS_getrandom, SYS_link, SYS_linkat, SYS_lseek, SYS_lstat,
    SYS_mkdir, SYS_mkdirat, SYS_newfstatat, SYS_open, SYS_openat, SYS_pread64, SYS_pwrite64,
    SYS_read, SYS_readv, SYS_rename, SYS_renameat, SYS_renameat2, SYS_stat, SYS_statx, SYS_unlink,
    SYS_unlinkat, SYS_write, SYS_writev,
};

use Fault::{Error, Short};

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// With an error; nothing is done.
    Error(Errno),
    /// It reads or writes one byte.
    Short,
}

impl Fault {
    /// Whether a program must go on as if nothing had happened.
    pub fn is_harmless(self) -> bool {
        matches!(self, Short | Error(EINTR))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error(error) => write!(f, "{error:?}"),
            Short => f.write_str("short"),
        }
    }
}

/// Calls that fail in the same ways.
pub struct Calls {
    pub name: &'static str,
    pub numbers: &'static [i64],
    pub faults: &'static [Fault],
}

/// Which argument is a path, if a call takes one rather than a descriptor.
pub fn path_argument(call: i64) -> Option<usize> {
    match call {
        SYS_open | SYS_stat | SYS_lstat | SYS_rename | SYS_link | SYS_unlink | SYS_mkdir
        | SYS_chmod => Some(0),
        SYS_openat | SYS_newfstatat | SYS_statx | SYS_renameat | SYS_renameat2 | SYS_linkat
        | SYS_unlinkat | SYS_mkdirat => Some(1),
        _ => None,
    }
}

/// All kinds.
pub const ALL: [Calls; 10] = [
    Calls {
        name: "read",
        numbers: &[SYS_read, SYS_pread64, SYS_readv],
        faults: &[Error(EIO), Error(EINTR), Short],
    },
    Calls {
        name: "write",
        numbers: &[SYS_write, SYS_pwrite64, SYS_writev],
        faults: &[Error(ENOSPC), Error(EIO), Error(EINTR), Short],
    },
    Calls {
        name: "open",
        numbers: &[SYS_open, SYS_openat],
        faults: &[Error(EACCES), Error(EMFILE)],
    },
    Calls {
        name: "sync",
        numbers: &[SYS_fsync, SYS_fdatasync],
        faults: &[Error(EIO), Error(ENOSPC), Error(EINTR)],
    },
    Calls {
        name: "rename",
        numbers: &[
            SYS_rename,
            SYS_renameat,
            SYS_renameat2,
            SYS_link,
            SYS_linkat,
        ],
        faults: &[Error(EACCES), Error(EIO), Error(ENOSPC)],
    },
    Calls {
        name: "thread",
        numbers: &[SYS_clone, SYS_clone3],
        faults: &[Error(EAGAIN)],
    },
    Calls {
        name: "stat",
        numbers: &[
            SYS_stat,
            SYS_lstat,
            SYS_fstat,
            SYS_newfstatat,
            SYS_statx,
            SYS_lseek,
        ],
        faults: &[Error(EIO), Error(EACCES)],
    },
    Calls {
        name: "list",
        numbers: &[SYS_getdents64],
        faults: &[Error(EIO)],
    },
    Calls {
        name: "change",
        numbers: &[
            SYS_chmod,
            SYS_fchmod,
            SYS_ftruncate,
            SYS_mkdir,
            SYS_mkdirat,
            SYS_unlink,
            SYS_unlinkat,
        ],
        faults: &[Error(EPERM), Error(EIO)],
    },
    Calls {
        name: "random",
        numbers: &[SYS_getrandom],
        // No other error is possible with the arguments that libraries give.
        faults: &[Error(EINTR)],
    },
];
