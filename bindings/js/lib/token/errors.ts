// Why a token does not do.

/** Thrown if a token is invalid, or a request or statement about one. */
export class InvalidToken extends Error {
  /** Why, in the words of every Klero: such as `the token is sealed`. */
  readonly reason: string;

  /** For this reason. */
  constructor(reason: string) {
    super(`invalid token: ${reason}`);
    this.name = "InvalidToken";
    this.reason = reason;
  }
}

/** Thrown by `check` if a token is valid, and does not allow the request. */
export class Refused extends Error {
  /** The number of the block that refuses: 0 is the issuer's. The seal, for one audience, has none. */
  readonly block: number | undefined;
  /**
   * The text of its caveat, escaped, and cut after 200 bytes; of a block of bytes their number, and of a
   * revoked block its id in hex.
   */
  readonly caveat: string;
  /** Why, in the words of every Klero: such as `it does not hold`. */
  readonly reason: string;

  /** Of this caveat, for this reason. */
  constructor(block: number | undefined, caveat: string, reason: string) {
    super(`${block === undefined ? "seal" : `block ${block}`}: ${caveat}: ${reason}`);
    this.name = "Refused";
    this.block = block;
    this.caveat = caveat;
    this.reason = reason;
  }
}
