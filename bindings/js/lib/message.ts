// Messages to and from WebAssembly: lists of fields, as in `message/src/fields.rs`. A field is its
// length (4 bytes, little-endian) and its bytes; the greatest length stands for an absent field.

const ABSENT = 0xffffffff;

/** A field to be sent: absent, or what `bytes` returns, whose length stays. */
export type Field = Uint8Array | undefined;

/** The field of a text. */
export const utf8 = (string: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(string);

/** The text of a field. */
export const fromUtf8 = (field: Field): string => new TextDecoder().decode(field);

/** The length in bytes of a message of these fields. */
export function messageLength(fields: readonly Field[]): number {
  return fields.reduce((sum, field) => sum + 4 + (field?.length ?? 0), 0);
}

/** Writes a message into the memory that `room` is a view of, and nothing beyond. */
export function writeMessage(room: DataView<ArrayBuffer>, fields: readonly Field[]): void {
  // Its bounds are those of `room`: a field that does not fit is a RangeError.
  const bytes = new Uint8Array(room.buffer, room.byteOffset, room.byteLength);
  let at = 0;
  for (const field of fields) {
    room.setUint32(at, field === undefined ? ABSENT : field.length, true);
    at += 4;
    if (field !== undefined) {
      bytes.set(field, at);
      at += field.length;
    }
  }
}

/** Reads the fields of a message, as copies. */
export function readMessage(message: DataView<ArrayBuffer>): (Uint8Array<ArrayBuffer> | undefined)[] {
  const fields = [];
  for (let at = 0; at < message.byteLength; ) {
    const length = message.getUint32(at, true);
    at += 4;
    if (length === ABSENT) {
      fields.push(undefined);
    } else {
      const from = message.byteOffset + at;
      fields.push(new Uint8Array(message.buffer.slice(from, from + length)));
      at += length;
    }
  }
  return fields;
}
