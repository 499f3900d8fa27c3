// Frames: the binary messages of workers, as frames.py describes them.

/** The kind and the panel of a frame. @param {ArrayBuffer} buffer */
export function headOf(buffer) {
  const [kind, panel] = new Uint8Array(buffer, 0, 2);
  return { kind, panel };
}

/** The name and the bytes of a frame with a part of a file, and how many parts follow. @param {ArrayBuffer} buffer */
export function readFile(buffer) {
  const view = new DataView(buffer);
  const length = view.getUint32(4, true);
  const name = new TextDecoder().decode(new Uint8Array(buffer, 8, length));
  return { name, left: view.getUint16(2, true), bytes: new Uint8Array(buffer, 8 + length + ((4 - (length % 4)) % 4)) };
}

/** Reads a frame from its first part on. */
export class Reader {
  /** @param {ArrayBuffer} buffer */
  constructor(buffer) {
    this.buffer = buffer;
    this.view = new DataView(buffer);
    this.at = 4;
    this.steps = this.view.getUint16(2, true);
  }

  word() {
    return this.view.getUint32((this.at += 4) - 4, true);
  }

  float() {
    return this.view.getFloat32((this.at += 4) - 4, true);
  }

  /** Numbers of four bytes. @param {number} n */
  numbers(n) {
    return new Int32Array(this.buffer, (this.at += 4 * n) - 4 * n, n);
  }

  /** Numbers of two bytes, with zeros up to a multiple of four bytes. @param {number} n */
  halves(n) {
    const halves = new Uint16Array(this.buffer.slice(this.at, this.at + 2 * n));
    this.at += 4 * Math.ceil(n / 2);
    return halves;
  }

  /** Bytes, with zeros up to a multiple of four. @param {number} n */
  bytes(n) {
    const bytes = new Uint8Array(this.buffer.slice(this.at, this.at + n));
    this.at += 4 * Math.ceil(n / 4);
    return bytes;
  }
}
