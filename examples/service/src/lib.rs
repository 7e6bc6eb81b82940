//! A service of jobs whose requests carry attenuable tokens, and its client.
//!
//! What checks the token of a request is the layer of `klero-token-http`. Here is what lies around it:
//!
//! | module | what it shows |
//! |---|---|
//! | [`accounts`], [`signer`] | a login mints a token; the root key is in another process |
//! | [`roots`] | root keys with numbers, and how they change |
//! | [`client`] | a holder narrows tokens offline, and seals one to each request |
//! | [`second_factor`] | a third party vouches for a token |
//! | [`verifier`] | tokens of many requests, verified together |
//! | [`store`], [`files`] | the store that the layer asks, with a database |
//! | [`router`], [`answer`] | routes, and what they answer |
//! | [`server`], [`places`] | limits on what is read, and on connections |
//! | [`load`] | requests of many clients, timed |

pub mod accounts;
pub mod answer;
pub mod client;
pub mod files;
pub mod load;
pub mod places;
pub mod roots;
pub mod router;
pub mod second_factor;
pub mod server;
pub mod signer;
pub mod store;
pub mod verifier;
