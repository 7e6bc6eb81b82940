//! Reads what stands behind the blocks of a token: the seal and the end, as the form and the last
//! block say.

use crate::codec::{Form, Reader};
use crate::error::{Error, Place};
use crate::key::KeyKind;
use crate::kind::sealed_by;
use crate::link::{End, Link, Secret};
use crate::scheme::Scheme;
use crate::webauthn;

/// Reads the form, which must be that of a token.
pub(crate) fn read_form(scheme: Scheme, reader: &mut Reader<'_>) -> Result<Form, Error> {
    let (forms, expected): (&[_], _) = match scheme.has_devices() {
        true => (
            &[Form::Bearer, Form::Sealed, Form::Held],
            "0 (bearer), 1 (sealed) or 4 (held by a device)",
        ),
        false => (&[Form::Bearer, Form::Sealed], "0 (bearer) or 1 (sealed)"),
    };
    let got = reader.form()?;
    let form = forms.iter().find(|form| **form as u8 == got);
    form.copied().ok_or(Error::Form { got, expected })
}

/// Reads a link of this kind.
pub(crate) fn read_link(scheme: Scheme, kind: u8, reader: &mut Reader<'_>) -> Result<Link, Error> {
    let [committed, signature] = scheme.link_lengths(kind);
    let committed = reader.bytes("key", committed)?;
    Ok(Link::new(committed, reader.bytes("signature", signature)?))
}

/// Reads the end of a token, whose last block entrusted it to a key if it is of P-256.
pub(crate) fn read(
    scheme: Scheme,
    form: Form,
    entrusted: Option<KeyKind>,
    reader: &mut Reader<'_>,
) -> Result<End, Error> {
    match (form, entrusted) {
        (Form::Held, _) => Ok(End::Held),
        (Form::Sealed, key) => {
            let kind = sealed_by(key.unwrap_or(KeyKind::Ed25519));
            let seal = read_link(scheme, kind, reader)?;
            let rest = match key {
                Some(KeyKind::Passkey) => {
                    let signed = webauthn::Signed::read(reader, Place::Seal)?;
                    Secret::new(signed.encode()?)
                }
                _ => read_secret(scheme, true, reader)?,
            };
            Ok(End::Sealed { seal, rest })
        }
        (form, Some(_)) => {
            let (got, expected) = (form as u8, "1 or 4, since the last block is of kind 6 or 7");
            Err(Error::Form { got, expected })
        }
        (_, None) => Ok(End::Bearer(read_secret(scheme, false, reader)?)),
    }
}

fn read_secret(scheme: Scheme, sealed: bool, reader: &mut Reader<'_>) -> Result<Secret, Error> {
    let bytes = reader.bytes("end", scheme.end_length(sealed))?;
    Ok(Secret::new(bytes.to_vec()))
}
