//! Hex, and the trait implementations of types that hold only bytes.

use alloc::format;
use core::fmt;

use crate::error::Error;

pub(crate) fn write_hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// Decodes hex digits of either case into the start of `room`, and returns the decoded bytes. Rejects text
/// that is too long for `room` without reading it.
pub(crate) fn parse_hex<'r>(text: &str, room: &'r mut [u8]) -> Result<&'r [u8], Error> {
    if text.len() > 2 * room.len() {
        return Err(wrong_length(text.len().div_ceil(2)));
    }
    base16ct::mixed::decode(text, room).map_err(|_| {
        Error::Unreadable("not hex: expected pairs of the digits 0 to 9 and a to f".into())
    })
}

/// Returns the error for a key, a proof or an output of a wrong length.
pub(crate) fn wrong_length(bytes: usize) -> Error {
    Error::Unreadable(format!(
        "{bytes} bytes: expected 32 (key), 80, 128 or 144 (proof) or 64 (output)"
    ))
}

/// Implements the traits of a type that holds only bytes: `Display` and `FromStr` (hex), `Debug`,
/// `AsRef<[u8]>`, and serde's traits. The type must have `as_bytes` and `TryFrom<&[u8], Error = Error>`.
/// `$most` is the greatest length of a value in bytes.
macro_rules! bytes_type {
    ($type:ident, $most:literal) => {
        impl AsRef<[u8]> for $type {
            fn as_ref(&self) -> &[u8] {
                self.as_bytes()
            }
        }

        impl core::fmt::Display for $type {
            /// Writes lower-case hex.
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                $crate::bytes::write_hex(f, self.as_ref())
            }
        }

        impl core::fmt::Debug for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!(stringify!($type), "({})"), self)
            }
        }

        impl core::str::FromStr for $type {
            type Err = $crate::error::Error;

            /// Reads hex in either case.
            fn from_str(hex: &str) -> Result<Self, Self::Err> {
                let mut room = [0; $most];
                Self::try_from($crate::bytes::parse_hex(hex, &mut room)?)
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $type {
            /// Writes hex in human-readable formats, and bytes in others.
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if serializer.is_human_readable() {
                    serializer.collect_str(self)
                } else {
                    serializer.serialize_bytes(self.as_ref())
                }
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl<'de> serde::de::Visitor<'de> for Visitor {
                    type Value = $type;

                    fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                        f.write_str(concat!(stringify!($type), " as hex or bytes"))
                    }

                    fn visit_str<E: serde::de::Error>(self, hex: &str) -> Result<$type, E> {
                        hex.parse().map_err(E::custom)
                    }

                    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<$type, E> {
                        $type::try_from(bytes).map_err(E::custom)
                    }

                    fn visit_seq<A: serde::de::SeqAccess<'de>>(
                        self,
                        mut items: A,
                    ) -> Result<$type, A::Error> {
                        let (mut room, mut filled) = ([0; $most], 0);
                        while let Some(byte) = items.next_element()? {
                            let Some(place) = room.get_mut(filled) else {
                                return Err(serde::de::Error::invalid_length(filled + 1, &self));
                            };
                            *place = byte;
                            filled += 1;
                        }
                        self.visit_bytes(&room[..filled])
                    }
                }
                if deserializer.is_human_readable() {
                    deserializer.deserialize_str(Visitor)
                } else {
                    deserializer.deserialize_bytes(Visitor)
                }
            }
        }
    };
}

pub(crate) use bytes_type;
