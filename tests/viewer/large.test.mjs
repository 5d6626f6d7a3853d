// 10,000 bodies in 1,000 frames: the page keeps up, and holds no more of them than its room. The frames are made here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { browser, inked, open, packages } from './support.mjs';

const BODIES = 10000, FRAMES = 1000, IN_PIECE = 3;
let chrome, server;

const about = {
  file: 'pile.h5', name: 'pile', description: '', scheme: 'none', step: 1e-3, status: 'finished', live: false, until: 1,
  rows: FRAMES, frames: FRAMES, stride: 1, frames_in_piece: IN_PIECE, t: [0, 1], low: [0, 0, 0], high: [22, 22, 22],
  largest_impulse: 0, largest_reaction: 0, planar: false, e1: [1, 0, 0], e2: [0, 1, 0],
  bodies: Array.from({ length: BODIES }, (_, i) => `b${i}`), notes: [], text: '', items: [], drawn: 0,
  shapes: Array.from({ length: BODIES }, (_, i) => i % 2
    ? { kind: 'box', name: `b${i}`, body: i, values: [0, 0, 0, 0.6, 0.5, 0.4, 0] }
    : { kind: 'circle', name: `b${i}`, body: i, values: [0, 0, 0, 0.4, 0] }),
  curves: [{ name: 'E', group: 'energy', unit: 'J' }],
  events: { t: [], kind: [], item: [], names: [] }, largest_stress: 0, flexible: [],
};
function overview() {
  const out = Buffer.alloc(16 + 8 * 3 * FRAMES);
  [0x314f5652, FRAMES, 1, FRAMES].forEach((x, i) => out.writeUInt32LE(x, 4 * i));
  for (const part of [0, 1, 2]) for (let k = 0; k < FRAMES; ++k) out.writeDoubleLE(part === 1 ? 1 : k / (FRAMES - 1), 16 + 8 * (part * FRAMES + k));
  return out;
}
function piece(index) {
  const n = Math.min(IN_PIECE, FRAMES - index * IN_PIECE), even = (x) => x + (x % 2);
  const words = even(n * BODIES * 7);
  const out = Buffer.alloc(40 + 16 * n + 4 * words + 4 * even(n + 1));
  [0x33435652, n, index * IN_PIECE, BODIES, 0, 1, 0, 0, 0, 0].forEach((x, i) => out.writeUInt32LE(x, 4 * i));
  for (let k = 0; k < n; ++k) out.writeDoubleLE((index * IN_PIECE + k) / (FRAMES - 1), 40 + 8 * k);
  const pose = new Float32Array(out.buffer, out.byteOffset + 40 + 16 * n, n * BODIES * 7);
  for (let k = 0; k < n; ++k)
    for (let b = 0; b < BODIES; ++b) {
      const o = 7 * (k * BODIES + b), a = 0.01 * (index * IN_PIECE + k) + b;
      pose.set([b % 22, Math.floor(b / 22) % 22, Math.floor(b / 484) + Math.sin(a), 0, 0, Math.sin(a / 2), Math.cos(a / 2)], o);
    }
  return out;
}

before(async () => {
  chrome = await browser();
  const html = readFileSync(join(packages, 'page.html'));
  server = http.createServer((request, answer) => {
    const found = request.url.match(/^\/piece\/0\/(\d+)$/);
    if (found) answer.end(piece(Number(found[1])));
    else if (request.url === '/overview/0') answer.end(overview());
    else if (request.url === '/description') answer.end(JSON.stringify({ results: [about] }));
    else answer.setHeader('Content-Type', 'text/html').end(html);
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.on('listening', done));
});
after(async () => { await chrome?.close(); server?.close(); });

test('drawing calls of a picture and heap', async () => {
  const page = await open(chrome, `http://127.0.0.1:${server.address().port}/`, { width: 700, height: 420 });
  assert.ok((await inked(page)) > 0.05);
  const heap = async () => {
    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Runtime.getHeapUsage')).usedSize + (await page.evaluate(() => window.ricochet.viewer.held));
  };
  const calls = [], times = [];
  // Through all pieces, which are more than fit into the room for them, with a picture now and then: the tests have no
  // graphics processor, and what paints in its place takes seconds for a picture.
  let early = 0;
  for (let frame = 0; frame < FRAMES; frame += 50) {
    const [call, time] = await page.evaluate(async (k) => {
      const { viewer, runs } = window.ricochet, size = runs[0].about.frames_in_piece;
      for (let i = k - 50; i <= k; i += size) if (i >= 0) await runs[0].fetch(Math.floor(i / size));
      viewer.seek(runs[0].times[k]);
      while (document.documentElement.dataset.drawn !== String(k)) await new Promise((done) => requestAnimationFrame(done));
      return [viewer.stage.renderer.info.render.calls, viewer.script.at(-1)];
    }, frame);
    calls.push(call), times.push(time);
    if (frame === 400) early = await heap();
  }
  const late = await heap();
  times.sort((a, b) => a - b);
  const median = times[times.length >> 1];
  console.log(`# ${Math.max(...calls)} calls; script: median ${median.toFixed(2)} ms, 90 % below ${times[Math.floor(0.9 * times.length)].toFixed(2)} ms; heap ${(early / 1e6).toFixed(0)} MB after 400 frames, ${(late / 1e6).toFixed(0)} MB after all`);
  // Bodies of one kind are one call, however many. The times, 6.3 ms when nothing else ran, are told and not judged.
  assert.ok(Math.max(...calls) <= 40, `${calls}`);
  assert.ok(late < 1.15 * early && late < 300e6, `${early} ${late}`);
  assert.deepEqual(page.complaints, []);
  await page.close();
});
