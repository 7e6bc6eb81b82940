//! Words that are not words of a processor: what the kernels are executed on.
//!
//! | file | what it has |
//! |---|---|
//! | `domain` | the operations that words have, and the trait [`Domain`] of what can execute them |
//! | `execution` | the operations as they are executed, one of which may be altered |
//! | `concrete` | words that are numbers |
//! | `symbol` | words that are polynomials in intervals |
//! | `exact` | words that are such polynomials with coefficients of any size |
//! | `facts` | what is known of the variables of these polynomials |
//! | `interval`, `polynomial` | integers from one to another; polynomials of degree 2 |

pub mod concrete;
pub mod domain;
pub mod exact;
pub mod execution;
pub mod facts;
pub mod interval;
pub mod polynomial;
pub mod symbol;
