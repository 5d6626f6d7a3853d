// Pictures of equal size, one after the other, as one moving PNG (APNG, https://www.w3.org/TR/png-3).
import { deflateSync, inflateSync } from 'node:zlib';

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});
const crc32 = (bytes) => {
  let c = 0xffffffff;
  for (const b of bytes) c = TABLE[(c ^ b) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
};
const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

function chunks(png) {
  const out = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    out.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return out;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]), length = Buffer.alloc(4), sum = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function control(sequence, width, height, milliseconds) {
  const data = Buffer.alloc(26);
  [sequence, width, height, 0, 0].forEach((x, k) => data.writeUInt32BE(x, 4 * k));
  data.writeUInt16BE(milliseconds, 20);
  data.writeUInt16BE(1000, 22);
  return chunk('fcTL', data);
}

/** PNGs of the same kind and size; each is shown for so long, the last for a second. */
export function animated(pngs, milliseconds) {
  const header = chunks(pngs[0]).find((c) => c.type === 'IHDR').data;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const count = Buffer.alloc(8);
  count.writeUInt32BE(pngs.length);
  const parts = [SIGNATURE, chunk('IHDR', header), chunk('acTL', count)];
  let sequence = 0;
  pngs.forEach((png, k) => {
    const own = chunks(png);
    if (!own.find((c) => c.type === 'IHDR').data.equals(header)) throw new Error('the pictures differ in size or kind');
    const packed = Buffer.concat(own.filter((c) => c.type === 'IDAT').map((c) => c.data));
    const data = deflateSync(inflateSync(packed), { level: 9, memLevel: 9 });
    parts.push(control(sequence++, width, height, k + 1 < pngs.length ? milliseconds : 1000));
    if (k === 0) { parts.push(chunk('IDAT', data)); return; }
    const number = Buffer.alloc(4);
    number.writeUInt32BE(sequence++);
    parts.push(chunk('fdAT', Buffer.concat([number, data])));
  });
  return Buffer.concat([...parts, chunk('IEND', Buffer.alloc(0))]);
}
