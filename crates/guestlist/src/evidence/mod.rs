//! What makes an audit's folder evidence: the digests that were written with it, whether they still agree,
//! and who stands for them.
//!
//! `SHA256SUMS` has a line per file that the audit wrote, in the form that `sha256sum --check` reads. The
//! report among them has the digests of what was read, so that one file binds report, scores, pages and inputs.
//! Digests alone tell of accidents: whoever can change every file can change them as well. A signature over
//! `SHA256SUMS`, made and checked by OpenSSH, tells of that too. No private key is ever read here.

mod contradiction;
mod inputs;
mod signature;
mod sums;
mod verify;
mod words;

pub use self::signature::{NAMESPACE, Signature, Signers, sign};
pub use self::sums::{SIGNATURE, SUMS, add_sums};
pub use self::verify::{Checked, Request, State, Verification, has_changed, verify};
