//! Arguments that several commands share.

pub mod choice;
pub mod keyfile;
pub mod request;
pub mod secrets;
pub mod source;
pub mod threads;
