//! The calls to the operating system that can fail, and how.
#![allow(non_upper_case_globals, reason = "the names of calls as libc has them")]

use std::fmt;

use nix::errno::Errno;
use nix::libc::{
    SYS_chmod, SYS_clone, SYS_clone3, SYS_fchmod, SYS_fdatasync, SYS_fstat, SYS_fsync,
    SYS_ftruncate, SYS_getdents64, SYS_getrandom, SYS_link, SYS_linkat, SYS_lseek, SYS_lstat,
    SYS_mkdir, SYS_mkdirat, SYS_newfstatat, SYS_open, SYS_openat, SYS_pread64, SYS_pwrite64,
    SYS_read, SYS_readv, SYS_rename, SYS_renameat, SYS_renameat2, SYS_stat, SYS_statx, SYS_unlink,
    SYS_unlinkat, SYS_write, SYS_writev,
};

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
        matches!(self, Self::Short | Self::Error(Errno::EINTR))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => write!(f, "{error:?}"),
            Self::Short => f.write_str("short"),
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

const fn error(error: Errno) -> Fault {
    Fault::Error(error)
}

/// All kinds.
pub const ALL: [Calls; 10] = [
    Calls {
        name: "read",
        numbers: &[SYS_read, SYS_pread64, SYS_readv],
        faults: &[error(Errno::EIO), error(Errno::EINTR), Fault::Short],
    },
    Calls {
        name: "write",
        numbers: &[SYS_write, SYS_pwrite64, SYS_writev],
        faults: &[
            error(Errno::ENOSPC),
            error(Errno::EIO),
            error(Errno::EINTR),
            Fault::Short,
        ],
    },
    Calls {
        name: "open",
        numbers: &[SYS_open, SYS_openat],
        faults: &[error(Errno::EACCES), error(Errno::EMFILE)],
    },
    Calls {
        name: "sync",
        numbers: &[SYS_fsync, SYS_fdatasync],
        faults: &[error(Errno::EIO), error(Errno::ENOSPC), error(Errno::EINTR)],
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
        faults: &[
            error(Errno::EACCES),
            error(Errno::EIO),
            error(Errno::ENOSPC),
        ],
    },
    Calls {
        name: "thread",
        numbers: &[SYS_clone, SYS_clone3],
        faults: &[error(Errno::EAGAIN)],
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
        faults: &[error(Errno::EIO), error(Errno::EACCES)],
    },
    Calls {
        name: "list",
        numbers: &[SYS_getdents64],
        faults: &[error(Errno::EIO)],
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
        faults: &[error(Errno::EPERM), error(Errno::EIO)],
    },
    Calls {
        name: "random",
        numbers: &[SYS_getrandom],
        // No other error is possible with the arguments that libraries give.
        faults: &[error(Errno::EINTR)],
    },
];
