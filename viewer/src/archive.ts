// Several files as one: a ZIP archive without compression, which pictures do not need.

let table: Uint32Array | undefined;
function crc(bytes: Uint8Array): number {
  if (!table) {
    table = new Uint32Array(256);
    for (let n = 0; n < 256; ++n) {
      let c = n;
      for (let k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
      table[n] = c;
    }
  }
  let c = 0xffffffff;
  for (const b of bytes) c = table[(c ^ b) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** Little-endian numbers, each with its size in bytes. */
function record(...parts: [size: 2 | 4, value: number][]): Uint8Array {
  const out = new DataView(new ArrayBuffer(parts.reduce((sum, [size]) => sum + size, 0)));
  let at = 0;
  for (const [size, value] of parts) {
    if (size === 2) out.setUint16(at, value, true); else out.setUint32(at, value, true);
    at += size;
  }
  return new Uint8Array(out.buffer);
}

export function archive(files: { name: string; bytes: Uint8Array }[]): Blob {
  const pieces: Uint8Array[] = [], listed: Uint8Array[] = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const text = new TextEncoder().encode(name), sum = crc(bytes);
    // version 2.0, names in UTF-8, stored, the first day that the format knows
    const common: [2 | 4, number][] = [[2, 20], [2, 0x800], [2, 0], [2, 0], [2, 0x21], [4, sum], [4, bytes.length], [4, bytes.length], [2, text.length], [2, 0]];
    const head = record([4, 0x04034b50], ...common);
    pieces.push(head, text, bytes);
    listed.push(record([4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), text);
    offset += head.length + text.length + bytes.length;
  }
  const size = listed.reduce((sum, p) => sum + p.length, 0);
  const end = record([4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, offset], [2, 0]);
  return new Blob([...pieces, ...listed, end] as BlobPart[], { type: 'application/zip' });
}
